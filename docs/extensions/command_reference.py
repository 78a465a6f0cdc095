"""The directive `commands`: every command of a panel, from its own help."""

import importlib
import pkgutil
import re
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from allotment import cli

KEPT_LINES = "\b\n"  # what keeps the lines of a text as they are in the help


def command_tree() -> Any:
    """The whole command line, with all commands loaded."""
    for module in pkgutil.walk_packages(cli.__path__, f"{cli.__name__}."):
        importlib.import_module(module.name)
    return typer.main.get_command(importlib.import_module("allotment.cli.app").app)


def linked(text: str) -> str:
    """The text, with links to pages that it names by their path in the repository."""
    return re.sub(r"docs(/[\w/-]+\.md)", r"[](\1)", text)


def described(name: str, command: Any) -> str:
    """One command in Markdown: what it does, its usage, arguments, options and commands of its own."""
    context = command.make_context(f"allotment {name}", [], resilient_parsing=True)
    usage = " ".join(["allotment", name, *command.collect_usage_pieces(context)])
    rows = [found for each in command.params if (found := each.get_help_record(context))]
    terms = [f"`{term.replace('list[str]', 'str')}`\n: {meaning}\n" for term, meaning in rows]
    further = [described(f"{name} {each}", part) for each, part in getattr(command, "commands", {}).items()]
    opening = [f"### {name}\n", f"{linked(command.help)}\n", f"```text\n{usage}\n```\n"]
    below = [f"```text\n{command.epilog.strip(KEPT_LINES)}\n```\n"] if command.epilog else []
    return "\n".join([*opening, *terms, *below, *further])


class Commands(SphinxDirective):
    """Describe the commands whose panel is the argument."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The sections, one for each command."""
        commands = command_tree().commands
        shown = sorted(
            name
            for name, each in commands.items()
            if not each.hidden and (each.rich_help_panel or "Laboratory").startswith(self.arguments[0])
        )
        text = "\n".join(described(name, commands[name]) for name in shown)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Join Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
