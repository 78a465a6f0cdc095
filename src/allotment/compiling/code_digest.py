"""The digests of the code that compiled functions depend on.

Numba's own cache looks only at the file of the function itself. It would use stale code after an edit
elsewhere: in a kernel that the function calls, a constant frozen into it, or the order of a state's fields.
So each function and each class of a state has a digest of its own. It covers the statement that defines it,
and all statements of the package that this one names, directly or indirectly. It also covers what is
registered for a class or an overload: the kernels that a generic function runs for the class, anywhere.
Docstrings, comments and sentences for people do not count, so that editing one recompiles nothing.
"""

import ast
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent
# Kernels of a generic function need not name what compiles them.
HOLDS_KERNELS = re.compile(rb"^from allotment\.compiling\.decorators import |\.register\b", re.MULTILINE)
FOR_PEOPLE = ("family", "use")  # sentences that a policy says of itself
PLAIN = os.environ.get("ALLOTMENT_PLAIN_NUMBA", "")  # which compiles otherwise
COMPILER = "allotment.compiling."  # modules on which all compiled code depends
DECORATORS = "allotment.compiling.decorators"
OF_COMPILER, OF_ALL = "", "*"  # names of two digests that belong to no function
OURS_OR_TYPES = {"allotment", "numba", "typing"}

Sources = dict[str, bytes]  # by the name of the module
Digests = dict[str, str]  # by module and name, as `name_of` joins them
Place = tuple[str, int]  # a statement: its module, and its position there


def read_sources(package: Path = PACKAGE) -> Sources:
    """The source of every module of the package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = ("allotment", *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path.read_bytes()
    return found


def digest_of_text(sources: Sources) -> str:
    """A digest of everything in these sources; it takes milliseconds."""
    return _digest((name, content) for name, content in sources.items())


def name_of(module: str, qualified: str) -> str:
    """The name under which a function or class has its digest; what it contains belongs to it."""
    return f"{module}:{qualified.partition('.')[0]}"


def digests_of_code(sources: Sources) -> Digests:
    """The digest of every function and class that kernels can depend on; it takes about two seconds.

    OF_COMPILER is the digest of how things are compiled, and OF_ALL that of everything.
    """
    modules = modules_with_kernels(sources)
    code = {(name, at): each.code for name, found in modules.items() for at, each in enumerate(found)}
    digests = {place: hashlib.sha256(text.encode()).hexdigest() for place, text in code.items()}
    compiler = [place for place in digests if place[0].startswith(COMPILER)]
    found = {
        OF_COMPILER: _digest((str(place), digests[place].encode()) for place in sorted(compiler)),
        OF_ALL: _digest((str(place), digests[place].encode()) for place in sorted(digests)),
    }
    graph = Dependencies(modules)
    for place in code:
        statement = modules[place[0]][place[1]]
        if statement.defines is not None:
            needed = sorted(graph.reached_from(place))
            name = name_of(place[0], statement.defines)
            # A name can be defined twice, as in the branches of a condition.
            earlier = [(name, found[name].encode())] if name in found else []
            found[name] = _digest([*earlier, *((each[0], digests[each].encode()) for each in needed)])
    return found


def _digest(named: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256(PLAIN.encode())
    for name, content in named:
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:16]


class Import(NamedTuple):
    """A name that a module imports: from which module, and what it is called there."""

    module: str
    name: str


class Statement(NamedTuple):
    """A statement at the top of a module."""

    code: str  # without what it says to people
    defines: str | None  # the function or class that it defines
    binds: frozenset[str]  # names at the top of the module
    imports: dict[str, Import]  # by the names that it gives them
    uses: frozenset[str]  # names
    owners: frozenset[str]  # names of what it registers something for
    is_import: bool


def modules_with_kernels(sources: Sources) -> dict[str, list[Statement]]:
    """The modules with kernels, and all that these import, parsed."""
    found: dict[str, list[Statement]] = {}
    waiting = [name for name, content in sources.items() if HOLDS_KERNELS.search(content)]
    while waiting:
        name = waiting.pop()
        if name in sources and name not in found:
            found[name] = list(statements_of(sources[name]))
            for statement in found[name]:
                for module, imported in statement.imports.values():  # of that package, or of that module
                    inner = f"{module}.{imported}"
                    waiting.append(inner if inner in sources else module)
    return found


def statements_of(source: bytes) -> Iterator[Statement]:
    """The statements at the top of a module, those in conditions included in the condition."""
    for node in ast.parse(source).body:
        if _is_for_people(node, in_class=False):
            continue
        _leave_out_texts(node)
        inside = list(ast.walk(node))
        imports = {name: found for each in inside for name, found in _imports_of(each)}
        at_top = [node] if isinstance(node, ast.FunctionDef | ast.ClassDef) else inside
        yield Statement(
            code=ast.dump(node),
            defines=node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else None,
            binds=frozenset(name for each in at_top for name in _bound_by(each)),
            imports=imports,
            uses=_names_in([node]),
            owners=_owners_of(node),
            is_import=isinstance(node, ast.Import | ast.ImportFrom),
        )


def _leave_out_texts(statement: ast.stmt) -> None:
    for node in ast.walk(statement):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            in_class = isinstance(node, ast.ClassDef)
            node.body = [each for each in body if not _is_for_people(each, in_class)]  # type: ignore[attr-defined]


def _is_for_people(node: ast.stmt, in_class: bool) -> bool:
    value = getattr(node, "value", None)
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        return False
    if in_class and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id in FOR_PEOPLE
    return isinstance(node, ast.Expr)


def _imports_of(node: ast.AST) -> Iterator[tuple[str, Import]]:
    if isinstance(node, ast.Import):
        for each in node.names:
            yield each.asname or each.name.partition(".")[0], Import(each.name, "")
    elif isinstance(node, ast.ImportFrom):
        for each in node.names:
            yield each.asname or each.name, Import(node.module or "", each.name)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    else:
        for name, _ in _imports_of(node):
            yield name


def _names_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(
        each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)
    ) | frozenset(name for node in nodes for each in ast.walk(node) for name, _ in _imports_of(each))


def _owners_of(node: ast.stmt) -> frozenset[str]:
    """The names of what a statement registers something for: nothing names such a statement."""
    if isinstance(node, ast.FunctionDef):
        if any(isinstance(each, ast.Attribute) and each.attr == "register" for each in node.decorator_list):
            first = node.args.args[0].annotation if node.args.args else None
            return _names_in([first] if first is not None else [])
        calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
        return _names_in([argument for each in calls for argument in (*each.args, *each.keywords)])
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return _names_in(targets)  # a part of something, or the name itself
    if isinstance(node, ast.ClassDef | ast.AnnAssign | ast.Import | ast.ImportFrom):
        return frozenset()
    return _names_in([node])


class Dependencies:
    """Which statements each statement depends on."""

    def __init__(self, modules: dict[str, list[Statement]]) -> None:
        self._modules = modules
        self._imports: dict[str, dict[str, Import]] = {}
        self._homes: dict[str, dict[str, list[Place]]] = {}
        for module, statements in modules.items():
            homes: dict[str, list[Place]] = {}
            imports: dict[str, Import] = {}
            for at, statement in enumerate(statements):
                for name in statement.binds:
                    homes.setdefault(name, []).append((module, at))
                imports |= {name: each for name, each in statement.imports.items() if name in statement.binds}
            self._imports[module], self._homes[module] = imports, homes
        self._registered: dict[Place, list[Place]] = {}
        self._of_all: list[Place] = []  # what is registered for nobody can tell what
        for module, statements in modules.items():
            for at, statement in enumerate(statements):
                self._register((module, at), statement)
        self._next: dict[Place, frozenset[Place]] = {}
        self._reached: dict[Place, frozenset[Place]] = {}

    def _register(self, place: Place, statement: Statement) -> None:
        owners = [home for name in statement.owners for home in self._find(place[0], name)]
        for owner in owners:
            if owner != place:
                self._registered.setdefault(owner, []).append(place)
        if statement.owners and self._tells_numba(place[0], statement, has_owner=bool(owners)):
            self._of_all.append(place)

    def _tells_numba(self, module: str, statement: Statement, *, has_owner: bool) -> bool:
        """Whether it registers something with Numba for what is not of the package, as for NumPy."""
        imports = self._imports[module]
        homes = {name: imports[name].module.partition(".")[0] for name in statement.uses if name in imports}
        strangers = {homes[name] for name in statement.owners if name in homes} - OURS_OR_TYPES
        is_bare = statement.defines is not None or not statement.binds
        return is_bare and "numba" in homes.values() and bool(strangers or not has_owner)

    def _find(self, module: str, name: str, looked: frozenset[Import] = frozenset()) -> list[Place]:
        """The statements that define what a module calls so."""
        imported = self._imports.get(module, {}).get(name)
        if imported is None:
            return self._homes.get(module, {}).get(name, [])
        return self._find_imported(imported, looked)

    def _find_imported(self, imported: Import, looked: frozenset[Import] = frozenset()) -> list[Place]:
        home, name = imported
        whole = f"{home}.{name}" if name else home
        if whole in self._modules:  # a module, of which anything may be used
            return [(whole, at) for at in range(len(self._modules[whole]))]
        if home not in self._modules or home == DECORATORS or imported in looked:
            return []
        return self._find(home, name, looked | {imported}) or [
            (home, at) for at in range(len(self._modules[home]))
        ]

    def _next_to(self, place: Place) -> frozenset[Place]:
        if place not in self._next:
            module, at = place
            statement = self._modules[module][at]
            named: set[Place] = set(self._registered.get(place, ()))
            if not statement.is_import:
                for name in statement.uses:
                    inner = statement.imports.get(name)
                    named.update(self._find_imported(inner) if inner else self._find(module, name))
            self._next[place] = frozenset(named)
        return self._next[place]

    def reached_from(self, place: Place) -> frozenset[Place]:
        """This statement, and all that it depends on."""
        reached: set[Place] = set()
        waiting = [place, *self._of_all]
        while waiting:
            each = waiting.pop()
            if each in self._reached:
                reached |= self._reached[each]
            elif each not in reached:
                reached.add(each)
                waiting.extend(self._next_to(each))
        self._reached[place] = frozenset(reached)
        return self._reached[place]


def stamp(package: Path = PACKAGE) -> list[tuple[str, int, int]]:
    """What tells, within a millisecond or two, that a source was edited."""
    found = [(path, path.stat()) for path in package.rglob("*.py")]
    return sorted((str(path), status.st_mtime_ns, status.st_size) for path, status in found)
