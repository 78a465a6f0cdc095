"""`allotment policies`: what there is, and when to use which."""

import inspect
from dataclasses import MISSING, fields
from typing import Annotated, Any

import typer

from allotment.catalogue import find_policy, policy_classes
from allotment.cli.app import app
from allotment.cli.inputs import JsonOption
from allotment.cli.output import console, print_json, table
from allotment.policy import Policy


@app.command()
def policies(
    name: Annotated[str | None, typer.Argument(help="Show one policy in full.")] = None,
    json: JsonOption = False,
) -> None:
    """List the policies: what each is, its parameters, when to use it."""
    chosen = policy_classes() if name is None else {name: find_policy(name)}
    if json:
        print_json([_as_data(each, kind) for each, kind in chosen.items()])
        return
    if name is not None:
        _show_one(name, find_policy(name))
        return
    shown = table("policy", "label", "when to use it", "parameters", numbers=0)
    for each, kind in chosen.items():
        parameters = ", ".join(f"{key}={value}" for key, value in _parameters(kind).items())
        shown.add_row(each, kind.family, kind.use, parameters)
    out = console()
    out.print(shown)
    out.print(
        "`allotment policies NAME` explains one. Parameters go behind a colon: csb-dt:gamma=1e-4,delta=1/T."
    )


def _show_one(name: str, kind: type[Policy]) -> None:
    out = console()
    out.print(f"{name} ({kind.family}): {kind.use}\n", style="bold", highlight=False)
    out.print(inspect.cleandoc(kind.__doc__ or ""), highlight=False)
    shown = table("parameter", "default", numbers=0)
    for key, value in _parameters(kind).items():
        shown.add_row(key, value)
    out.print(shown)


def _parameters(kind: type[Policy]) -> dict[str, str]:
    return {field.name: _default(field) for field in fields(kind) if field.name != "label"}


def _default(field: Any) -> str:
    if field.default_factory is not MISSING:
        value = field.default_factory()
        return str(value.name()) if isinstance(value, Policy) else str(value)
    return "needed" if field.default is MISSING else str(field.default).lower()


def _as_data(name: str, kind: type[Policy]) -> dict[str, Any]:
    about = inspect.cleandoc(kind.__doc__ or "")
    return {
        "name": name,
        "label": kind.family,
        "use": kind.use,
        "about": about,
        "parameters": _parameters(kind),
    }
