"""Arguments of methods as requests hold them: in bodies, in queries and in paths."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from allotment.campaign.access.questions import Question
from allotment.campaign.planning.wishes import names_in

P = ParamSpec("P")
R = TypeVar("R")


def called_like(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[[Callable[..., R]], Callable[Concatenate[Any, P], R]]:
    """Give a method of the client the parameters and the docstring of a method of `Campaign`.

    The client's method receives all parameters by keyword, each with its default if the caller left it out.
    """
    takes = signature(method)
    rest = [each.name for each in takes.parameters.values() if each.kind is each.VAR_KEYWORD]

    def dressed(send: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        @wraps(method)
        def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
            given = takes.bind(self, *args, **kwargs)
            given.apply_defaults()
            named = given.arguments
            for name in rest:
                named |= named.pop(name)
            return send(**named)

        return call

    return dressed


def asked(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """The method of the client that asks a server a question of `Campaign`."""
    about: Question = vars(method)["question"]
    kind = signature(method).return_annotation

    def ask(self: Any, *, progress: Callable[[float], None] | None = None, **given: Any) -> R:
        """Ask the server. `progress` is called once, when all is done."""
        parts = {name: part_of(value) for name, value in given.items()}
        query = {name: text_of(value) for name, value in given.items() if f"{{{name}}}" not in about.path}
        found: R = self._get(about.path.format_map(parts), kind, **query)
        if progress is not None:
            progress(1.0)
        return found

    return called_like(method)(ask)


def orders_of(date: Any, **orders: Any) -> dict[str, Any]:
    """Orders of the day as a request holds them."""
    names = {name: names_in(name, orders[name]) for name in ("exclude", "require")}
    return {"date": text_of(date), **orders, **names}


def text_of(value: Any) -> str | None:
    """A value as a part of an address."""
    return None if value is None else field_of(value)


def field_of(value: Any) -> str:
    """A value as a form holds it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def part_of(text: Any) -> str:
    """A text as one part of a path. Dots alone would lead to another path, and name nothing."""
    return quote(str(text), safe="") if str(text).strip(".") else "-"
