"""The digest of all code that compiled functions depend on.

Numba's own cache looks only at the file of the function itself. It would use stale code after an edit
elsewhere: in a kernel that the function calls, a constant frozen into it, or the order of a state's fields.
The digest covers every module with kernels, and every module that these import, directly or indirectly.
Docstrings, comments and sentences for people do not count, so that editing one recompiles nothing.
"""

import ast
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
# Kernels of a generic function need not name what compiles them.
HOLDS_KERNELS = re.compile(rb"^from allotment\.compiling\.decorators import |\.register\b", re.MULTILINE)
FOR_PEOPLE = ("family", "use")  # sentences that a policy says of itself
PLAIN = os.environ.get("ALLOTMENT_PLAIN_NUMBA", "")  # which compiles otherwise

Sources = dict[str, bytes]  # by the name of the module


def read_sources(package: Path = PACKAGE) -> Sources:
    """The source of every module of the package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = ("allotment", *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path.read_bytes()
    return found


def digest_of_text(sources: Sources) -> str:
    """A digest of everything in these sources; it takes milliseconds."""
    return _digest(sources.items())


def digest_of_code(sources: Sources) -> str:
    """A digest of what compiled code depends on; to parse the sources takes about a second."""
    return _digest((name, code.encode()) for name, code in sorted(code_by_module(sources).items()))


def _digest(named: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256(PLAIN.encode())
    for name, content in named:
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:16]


def code_by_module(sources: Sources) -> dict[str, str]:
    """What the modules do that compiled code depends on."""
    found: dict[str, str] = {}
    waiting = [name for name, content in sources.items() if HOLDS_KERNELS.search(content)]
    while waiting:
        name = waiting.pop()
        if name in sources and name not in found:
            found[name], imports = code_and_imports(sources[name])
            for module, imported in imports:  # a module of that package, or a name in that module
                inner = f"{module}.{imported}"
                waiting.append(inner if inner in sources else module)
    return found


def code_and_imports(source: bytes) -> tuple[str, list[tuple[str, str]]]:
    """What a module does, without what it says to people, and the names that it imports anywhere."""
    tree, imports = ast.parse(source), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(each.name, "") for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [(node.module or "", each.name) for each in node.names]
        body = getattr(node, "body", None)
        if isinstance(body, list):
            in_class = isinstance(node, ast.ClassDef)
            node.body = [each for each in body if not _is_for_people(each, in_class)]  # type: ignore[attr-defined]
    return ast.dump(tree), imports


def _is_for_people(node: ast.stmt, in_class: bool) -> bool:
    value = getattr(node, "value", None)
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return False
    if in_class and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id in FOR_PEOPLE
    return isinstance(node, ast.Expr)


def stamp(package: Path = PACKAGE) -> list[tuple[str, int, int]]:
    """What tells, within a millisecond or two, that a source was edited."""
    found = [(path, path.stat()) for path in package.rglob("*.py")]
    return sorted((str(path), status.st_mtime_ns, status.st_size) for path, status in found)
