"""Plain data that nobody can change, so that what was parsed once can be shared."""

from typing import Any, NoReturn


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("the payload of an event cannot be changed; `to_dict` gives a copy that can")


class ReadOnlyDict(dict[str, Any]):
    """Values by name, equal to a dictionary; its parts are read-only, too."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:  # otherwise copies and pickles would be filled item by item
        return type(self), (dict(self),)


class ReadOnlyList(list[Any]):
    """A list that is equal to another one and cannot be changed."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


DICTS = frozenset[type]((dict, ReadOnlyDict))
LISTS = frozenset[type]((list, ReadOnlyList))
HOLDERS = DICTS | LISTS


def read_only(content: Any) -> Any:
    """Plain data as it is, in a form that cannot be changed."""
    if type(content) is dict:
        return ReadOnlyDict({name: read_only(part) for name, part in content.items()})
    if type(content) is list:  # long columns of numbers are copied at once
        flat = HOLDERS.isdisjoint(map(type, content))
        return ReadOnlyList(content if flat else map(read_only, content))
    return content


def changeable(content: Any) -> Any:
    """A copy that can be changed, all the way down."""
    if type(content) in DICTS:
        return {name: changeable(part) for name, part in content.items()}
    if type(content) in LISTS:
        flat = HOLDERS.isdisjoint(map(type, content))
        return list(content if flat else map(changeable, content))
    return content
