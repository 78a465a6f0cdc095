"""What README and the pages of docs show, to be run."""

import re
import shlex

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """The blocks of code of a page: (language, code)."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def commands(code):
    """The lines of a block that call allotment, as lists of arguments, "allotment" first."""
    return [shlex.split(line, comments=True) for line in code.splitlines() if line.startswith("allotment ")]


TABLE = re.compile(r"^```(?:csv|toml) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)  # and what it is saved as


def save_tables(page, folder):
    """Write the tables and calendars that a page shows to the files that it names."""
    for name, content in TABLE.findall(page.read_text(encoding="utf-8")):
        (folder / name).write_text(content, encoding="utf-8")


RUN = re.compile(  # a block that runs, and what it prints if the page shows it
    r"^```(sh|python)\n(.*?)^```\n(?:\n<!-- shown -->\n(?:```text\n(.*?)^```\n)?<!-- end -->\n)?",
    re.MULTILINE | re.DOTALL,
)


def shown_outputs(page):
    """What a page shows below its blocks, by block."""
    return {code: shown for _, code, shown in RUN.findall(page.read_text(encoding="utf-8")) if shown}
