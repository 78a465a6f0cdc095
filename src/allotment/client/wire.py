"""Arguments of methods as requests hold them: in bodies, in queries and in paths."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

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

    def dressed(send: Callable[..., R]) -> Callable[Concatenate[Any, P], R]:
        @wraps(method)
        def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
            given = takes.bind(self, *args, **kwargs)
            given.apply_defaults()
            return send(**given.arguments)

        return call

    return dressed


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
