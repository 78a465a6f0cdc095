"""The passages that people read, in Markdown pages and in Python files."""

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from tools.prose.rules import Passage

EXCEPTION = "prose: ok"  # in a comment on a line of the passage or on the line above
FEWEST_WORDS = 4  # of a string that is a message rather than a key or a name

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_ITEM = re.compile(r"(?:[-*] |\d+\. )?")
_FOR_TOOLS = re.compile(r"!|noqa|type: ")


def passages(path: Path) -> Iterator[Passage]:
    """Read a file, or all files below a folder, without the passages that are marked as exceptions."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.suffix in (".md", ".py"):
            source = file.read_text(encoding="utf-8")
            lines = source.splitlines()
            for first, last, line, text in (_markdown if file.suffix == ".md" else _python)(source):
                if not any(EXCEPTION in each for each in lines[max(first - 2, 0) : last]):
                    yield Passage(str(file), line, text)


# Each reader yields (first and last line of the text in the file, line of the passage, passage).
_Read = Iterator[tuple[int, int, int, str]]


def _markdown(source: str) -> _Read:
    """Read paragraphs, headings and list items, without code and tables."""
    tables = 0
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        tables += {"table_open": 1, "table_close": -1}.get(token.type, 0)
        if token.type == "inline" and token.map and not tables:
            first, last = token.map[0] + 1, token.map[1]
            yield first, last, first, "".join(map(_shown, token.children or []))


def _shown(part: Any) -> str:
    """What a reader sees of a part of a paragraph. Code stays marked as code."""
    shown = {"softbreak": "\n", "hardbreak": "\n", "code_inline": f"`{part.content}`", "text": part.content}
    return shown.get(part.type, "")


def _python(source: str) -> _Read:
    """Read docstrings, strings of several words (help texts and messages), and comments."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    docstrings = {id(node.body[0].value) for node in nodes if _has_docstring(node)}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if id(node) in docstrings:
            for offset, text in _paragraphs(node.value):
                yield node.lineno, node.end_lineno, node.lineno + offset, text
        elif id(node) not in parts and len((text := _message(node)).split()) >= FEWEST_WORDS:
            yield node.lineno, node.end_lineno, node.lineno, text
    yield from _comments(source)


def _has_docstring(node: ast.AST) -> bool:
    return isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None


def _paragraphs(docstring: str) -> Iterator[tuple[int, str]]:
    """Split a docstring at blank lines, underlines, list items and changes of indentation; omit examples."""
    paragraph: list[str] = []
    example, first, indent = False, 0, 0
    for number, line in enumerate([*inspect.cleandoc(docstring).splitlines(), ""]):
        text = line.strip()
        starts, item = len(line) - len(line.lstrip()), _ITEM.match(text).end()
        example = bool(text) and (example or text.startswith(">>>"))
        kept = bool(text.strip("-")) and not example
        if paragraph and (not kept or item or starts != indent):
            yield first, "\n".join(paragraph)
            paragraph = []
        if kept:
            first = first if paragraph else number
            paragraph.append(text)
        indent = starts + item


def _message(node: ast.AST) -> str:
    """The text of a string; each value that is filled in counts as a word."""
    values = node.values if isinstance(node, ast.JoinedStr) else [node]
    if not all(isinstance(each, ast.Constant | ast.FormattedValue) for each in values):
        return ""
    shown = [each.value if isinstance(each, ast.Constant) else "`value`" for each in values]
    return "".join(shown) if all(isinstance(each, str) for each in shown) else ""


def _comments(source: str) -> _Read:
    """Read comments; comments on neighbouring lines of their own are one passage."""
    first, last, texts = 0, 0, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or _FOR_TOOLS.match(token.string.lstrip("# ")):
            continue
        line, alone = token.start[0], token.line.lstrip().startswith("#")
        if texts and not (alone and line == last + 1):
            yield first, last, first, "\n".join(texts)
            texts = []
        first = first if texts else line
        last = line if alone else 0  # a comment behind code is a passage of its own
        texts.append(token.string.lstrip("# "))
    if texts:
        yield first, max(first, last), first, "\n".join(texts)
