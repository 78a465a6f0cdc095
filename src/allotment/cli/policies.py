"""`allotment policies`: the policies, and when to use which."""

from typing import Annotated

import typer

from allotment.cli.app import app
from allotment.cli.inputs import JsonOption
from allotment.cli.output import console, print_json, table


@app.command()
def policies(
    name: Annotated[str | None, typer.Argument(help="Show one policy in full.")] = None,
    json: JsonOption = False,
) -> None:
    """List the policies, and when to use each. Also their worlds and parameters."""
    from allotment.policies.base.catalogue import about, find_policy, policy_classes

    chosen = policy_classes() if name is None else {name: find_policy(name)}
    entries = [about(each, kind) for each, kind in chosen.items()]
    if json:
        print_json([vars(entry) for entry in entries])
        return
    out = console()
    if name is not None:
        (entry,) = entries
        out.print(f"{name} ({entry.label}): {entry.use}", style="bold", highlight=False)
        out.print(f"Suitable worlds: {entry.worlds}.\n", highlight=False)
        out.print(entry.about, highlight=False)
        shown = table("parameter", "default", "meaning", numbers=0)
        for key, value in entry.parameters.items():
            shown.add_row(key, value, entry.meanings.get(key, ""))
        out.print(shown)
        return
    shown = table("policy", "label", "when to use it", "worlds", "parameters", numbers=0)
    for entry in entries:
        parameters = ", ".join(f"{key}={value}" for key, value in entry.parameters.items())
        shown.add_row(entry.name, entry.label, entry.use, entry.worlds, parameters)
    out.print(shown)
    out.print(
        "`allotment policies NAME` explains one. Parameters go behind a colon: csb-dt:gamma=1e-4,delta=1/T."
    )
