"""Translates Numba's objections to a kernel into plain words, with what to write instead."""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

LOOP = "write a loop, or a form of it that Numba supports"
UNDEFINED = r"NameError: name '(\w+)' is not defined"
CALLEE = (
    r"BoundFunction\(.*?(?P<method>\w+)'?\)? for |"
    r"<(?:built-in )?(?:function|intrinsic|ufunc|class) '?(?P<function>[\w.]+)"
)
ABOUT_ARGUMENTS = r"Error: ((?:missing a required|got an unexpected|too many|multiple values).+)"
CALLS = ("typing of call", "typing of intrinsic", "typing of setitem", "typing of static")
ABOUT_ITSELF = (  # lines of Numba's that say nothing of the kernel
    "During",
    "File",
    "raised",
    "There are",
    "- Of",
    "Overload",
    "With arg",
    "Rejected",
    ">>>",
    "^",
    "<source",
    "TypingError: Failed",
    "Failed in nopython",
)
TYPES = (
    (r"readonly array\(.*", "a read-only array"),
    (r"array\(.*", "an array"),
    (r"u?int\d+", "a whole number"),
    (r"float\d+", "a number"),
    (r"bool(ean)?", "True or False"),
    (r"Literal\[str\]\((.*)\)", r"'\1'"),
    (r"Literal\[\w+\]\((.*)\)", r"\1"),
    (r"unicode_type", "text"),
    (r"none", "None"),
    (r"(reflected list|ListType|list)\(.*", "a list"),
    (r"(Uni)?Tuple\(.*", "a tuple"),
    (r"NumPyRandomGeneratorType", "rng"),
    (r"(\w+)\(.*\)", r"a \1"),
)


def explain_refusal(text: str, before: str, doing: str, source: str, arguments: Sequence[Any]) -> str:
    """What Numba objects to, and what to write instead.

    `text` is all that it says, `before` what it says before it names a line of the author's, `source`, and
    `doing` what it was doing there. `arguments` are what the kernels are handed.
    """
    words = _about_call(before, source) if doing.startswith(CALLS) else ""
    if words:
        return words
    for pattern, words_for in KNOWN_MESSAGES:
        found = re.search(pattern, text)
        if found:
            return words_for(arguments, *found.groups())
    lines = (line.strip() for line in before.splitlines())
    said = [line for line in lines if line and not line.startswith(ABOUT_ITSELF)] or [""]
    reason = re.sub(r"^\w+Error:\s*|\.* Raised from.*|\.+$", "", said[-1]) or "it gives no reason"
    return f"Numba does not compile this: {reason}; {LOOP}"


def states_in(values: Sequence[Any]) -> Iterator[Any]:
    """The NamedTuples among values, and in them."""
    for each in values:
        if isinstance(each, tuple):
            yield from states_in(each)
            if hasattr(each, "_fields"):
                yield each


def _about_call(before: str, source: str) -> str:
    """What is wrong with a call, an operator or an index; empty if that cannot be told."""
    callees = re.findall(r"resolving callee type: (.+)", before[-400:])
    callees = callees or re.findall(r"No implementation of function (.+?) found", before)
    named = re.search(CALLEE, callees[-1]) if callees else None
    if not named:
        return ""
    method, name = named["method"], named["method"] or named["function"].rpartition(".")[2]
    called = re.search(rf">>> \w*?{re.escape(name)}\((.*)\)$", before, re.MULTILINE)
    given = [_in_words(each) for each in _split(called[1])] if called else []
    if name == "exception_match":
        return "an except clause may name Exception only; write `except Exception:`, or test before"
    if name in ("getitem", "setitem") and len(given) > 1:
        if given[0] == "a read-only array" and name == "setitem":
            return "this array cannot be written to; let the state hold a copy of it, np.array(...)"
        if given[1] == "a number":
            return "an array is indexed with a number that need not be whole; write int(...)"
        if name == "setitem":
            return f"{given[-1]} cannot be put into {given[0]} here; write one number at a time"
        return f"{given[0]} cannot be indexed with {given[1]}; index an array with whole numbers"
    reason = re.search(ABOUT_ARGUMENTS, before)
    why = f" ({reason[1]})" if reason else ""
    if method and given:
        return f"Numba knows no {name}({', '.join(given[1:])}) of {given[0]}{why}; {LOOP}"
    name = f"np.{name}" if f"np.{name}(" in source else name
    return f"Numba knows no {name}({', '.join(given)}){why}; {LOOP}"


def _split(text: str) -> list[str]:
    """What commas separate that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _in_words(kind: str) -> str:
    """A type of Numba's, as people say it."""
    keyword = re.match(r"\w+=|", kind)
    name = keyword[0] if keyword else ""
    value = kind.removeprefix(name)
    for pattern, words in TYPES:
        if re.fullmatch(pattern, value):
            return name + re.sub(pattern, words, value, count=1)
    return kind


def _unknown_attribute(arguments: Sequence[Any], name: str, kind: str) -> str:
    owner = kind.partition("(")[0]
    for state in states_in(arguments):
        if type(state).__name__ == owner:
            close = difflib.get_close_matches(name, state._fields, 1)
            instead = f"'{close[0]}'" if close else f"one that it has: {', '.join(state._fields)}"
            return f"{owner} has no field '{name}'; write {instead}"
    module = re.match(r"Module\(<module '([\w.]+)'", kind)
    return f"Numba knows no '{name}' of {module[1] if module else _in_words(kind)}; {LOOP}"


def _untyped_global(_: Sequence[Any], name: str, kind: str | None) -> str:
    if kind == "function":
        return f"'{name}' is a plain Python function; put @numba.njit above its definition"
    instead = "make it a number or an array, or a field of the state"
    return f"'{name}' is of type {kind or 'unknown'}, which compiled code cannot read; {instead}"


def _two_types(_: Sequence[Any], one: str, other: str, name: str) -> str:
    kinds = f"{_in_words(one)} in one place and {_in_words(other)} in another"
    return f"'{name}' is {kinds}; give each a name of its own"


def _two_returns(_: Sequence[Any], kinds: str) -> str:
    returned = " or ".join(_in_words(each) for each in _split(kinds))
    return f"it returns {returned}; return values of one type, and nothing from ask and tell"


def _assigned(_: Sequence[Any], owner: str, name: str) -> str:
    return f"field '{name}' of {owner} cannot be assigned; keep what changes in an array, and write into that"


KNOWN_MESSAGES: tuple[tuple[str, Callable[..., str]], ...] = (
    (r"Unknown attribute '(\w+)' of type (.+)", _unknown_attribute),
    (
        r"Use of unsupported NumPy function '([\w.]+)'",
        lambda _, name: f"Numba does not know {name}, or not in this form; {LOOP}",
    ),
    (
        r"Untyped global name '(\w+)':?(?: Cannot determine Numba type of <class '([\w.]+)'>)?",
        _untyped_global,
    ),
    (UNDEFINED, lambda _, name: f"there is no '{name}'; define it, or mend its name"),
    (r"Cannot unify (.+) and (.+) for '(\w+)", _two_types),
    (r"Can't unify return type from the following types: (.+)", _two_returns),
    (r"(?:No definition for lowering|Cannot resolve setattr:) \(?(\w+)\(.*\)\)?\.(\w+) = ", _assigned),
    (
        r"Cannot infer the type of variable '(\w+)'.*imprecise type",
        lambda _, name: f"what '{name}' will hold cannot be told while it is empty; use an array",
    ),
    (
        # From Python 3.13 on, a DeprecationWarning comes first, and ends it where warnings are errors.
        r"use of yield|from a generator to a plain function",
        lambda _: "generators are not compiled; write a loop",
    ),
    (
        r"format spec in f-strings|FORMAT_WITH_SPEC",  # the latter from Python 3.13 on
        lambda _: "text with a format (as in :.3f) is not compiled; print the number itself",
    ),
    (
        r"function that may escape",
        lambda _: "a function is made here that uses the kernel's variables; write its work as a loop",
    ),
    (
        r"NRT required|Only accept returning of array",
        lambda _: "it creates an array, or copies one by a slice, where the package may not; write a loop",
    ),
)
