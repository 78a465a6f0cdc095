"""The grid of a sweep: problems by name, from files, drawn by seed, and with parameters over a range.

Also the tidy frame of a sweep, and its file."""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from allotment.checks import LARGEST_COUNT, number
from allotment.errors import ConflictError, FileError, InputError, MissingExtraError, shown
from allotment.simulation.partial_run import INSTEAD
from allotment.simulation.result import Result
from allotment.simulation.result_files import result_columns
from allotment.simulation.run_memory import refuse_large_grid
from allotment.system.files import AnyPath, ensure_writable, replacing
from allotment.tables import needed, pandas_frame
from allotment.tolerance import floor_with_tolerance
from allotment.version import versions
from allotment.worlds.descriptions import describe_world, find_world, restore_world
from allotment.worlds.problem import Problem
from allotment.worlds.world import World
from allotment.worlds.world_files import check_keys, read_table

if TYPE_CHECKING:
    from pandas import DataFrame


RANDOM = "random"  # what stands for a problem that is drawn
GRID = ("problems", "policies", "horizon", "replications", "seed", "record")
MOST_VALUES = 100_000  # in one range


class Case(NamedTuple):
    """One problem of a sweep: its name, the parameters that it was made with, and itself."""

    name: str
    parameters: dict[str, Any]
    world: World


def load_grid(path: AnyPath) -> dict[str, Any]:
    """What a grid file says, as the arguments of `sweep`; problems in files are looked for beside it."""
    content, folder = read_table(path, _checked_grid), Path(path).parent
    return content | {"problems": [_beside(folder, each) for each in content["problems"]]}


def _checked_grid(content: Any) -> dict[str, Any]:
    check_keys("a grid", content, GRID, GRID[:-1])
    for name in ("problems", "policies"):
        if not isinstance(content[name], list) or not content[name]:
            raise InputError.of(name, content[name], "a list of at least one")
    return dict(content)


def _beside(folder: Path, entry: Any) -> Any:
    if isinstance(entry, Mapping) and isinstance(entry.get("problem"), str):
        return {**entry, "problem": _beside(folder, entry["problem"])}
    is_name = not isinstance(entry, str) or entry == RANDOM or entry in Problem.shipped()
    return entry if is_name else os.fspath(folder / entry)


def cases_of(problems: Any) -> list[Case]:
    """The problems of a sweep, each with a name of its own."""
    if isinstance(problems, Mapping):
        named = [(str(name), entry) for name, entry in problems.items()]
    elif isinstance(problems, Iterable) and not isinstance(problems, str):
        named = [("", entry) for entry in problems]
    else:
        named = [("", problems)]
    entries = [_entry(entry, name, place) for place, (name, entry) in enumerate(named)]
    refuse_large_grid(sum(each.points for each in entries), max((each.arms for each in entries), default=0))
    cases = [case for each in entries for case in each.cases()]
    if not cases:
        raise InputError.of("problems", problems, "at least one problem")
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            raise ConflictError(
                f"two problems are named {shown(case.name)}; give one of them another name",
                what="problems",
                value=case.name,
            )
        seen.add(case.name)
    return cases


def _entry(entry: Any, name: str, place: int) -> "GridEntry":
    table = dict(entry) if isinstance(entry, Mapping) else {"problem": entry}
    source, name = table.pop("problem", None), str(table.pop("name", name))
    if isinstance(source, World):
        name = name or f"problem {place + 1}"
    elif isinstance(source, str):
        name = name or Path(source).stem
    else:
        expected = f"a Problem, a name, a file, or {RANDOM!r} in a table with arms and seed"
        raise InputError.of(f"problems[{place}]", entry if source is None else source, expected)
    return GridEntry(source, name, dict(_axes(table)))


def _made(source: World | str, given: dict[str, Any]) -> World:
    if source == RANDOM:
        try:
            return Problem.random(**given)
        except TypeError as error:
            raise InputError(f"cannot draw a problem: {error}", what="problems", value=given) from None
    world = source if isinstance(source, World) else find_world(source)
    if not given:
        return world
    content = describe_world(world)
    for path, value in given.items():
        *parents, last = path.split(".")
        part = content["is"] if "world" in content else content
        for parent in parents:
            part = part.setdefault(parent, {}) if isinstance(part, dict) else None
        if not isinstance(part, dict):
            raise InputError.of(path, value, f"no part of {path.rpartition('.')[0]}, which has none")
        part[last] = value
    return restore_world(content, [type(world)])


class Axis(NamedTuple):
    """The values that a parameter takes."""

    values: list[Any]
    varies: bool


class GridEntry(NamedTuple):
    """Problems that are made of one by giving parameters every combination of their values."""

    source: World | str
    name: str
    axes: dict[str, Axis]

    @property
    def points(self) -> int:
        """How many problems there will be."""
        return math.prod(len(axis.values) for axis in self.axes.values())

    @property
    def arms(self) -> int:
        """How many arms drawn problems will have, at most."""
        given = self.axes["arms"].values if self.source == RANDOM and "arms" in self.axes else []
        return max((each for each in given if isinstance(each, int) and each <= LARGEST_COUNT), default=0)

    def cases(self) -> Iterator[Case]:
        """Make them."""
        for values in product(*(axis.values for axis in self.axes.values())):
            given = dict(zip(self.axes, values, strict=True))
            told_apart = [f"{key}={value}" for key, value in given.items() if self.axes[key].varies]
            called = ", ".join([self.name, *told_apart])
            try:
                yield Case(called, given, _made(self.source, given))
            except InputError as error:
                raise error.within(called) from None


def _axes(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Axis]]:
    """Every parameter of a table, those in tables within it by their path."""
    for key, value in table.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and not {"from", "to"} <= value.keys():
            yield from _axes(value, f"{name}.")
        else:
            axis = _axis(name, value)
            for each in axis.values:
                if isinstance(each, int) and abs(each) > LARGEST_COUNT:
                    raise InputError.of(name, each, f"whole numbers of at most {LARGEST_COUNT}")
            yield name, axis


def _axis(name: str, value: Any) -> Axis:
    if isinstance(value, Mapping):
        return Axis(_span(name, value), varies=True)
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        values = value.tolist() if isinstance(value, np.ndarray) else list(value)
        if not values:
            raise InputError.of(name, value, "at least one value")
        return Axis(values, varies=True)
    return Axis([value.item() if isinstance(value, np.generic) else value], varies=False)


def _span(name: str, span: Mapping[str, Any]) -> list[Any]:
    """The numbers from one to another, both included."""
    check_keys(f"the range of {name}", span, ("from", "to", "step"), ("from", "to"))
    first, last, step = span["from"], span["to"], span.get("step", 1)
    low = number(f"from in the range of {name}", first, "a number")
    high = number(f"to in the range of {name}", last, f"a number of at least {first}", least=low)
    size = number(f"step in the range of {name}", step, "a number above 0", above=0.0)
    steps = (high - low) / size
    if not steps < MOST_VALUES:
        raise InputError.of(f"the range of {name}", dict(span), f"at most {MOST_VALUES} values")
    count = floor_with_tolerance(steps) + 1
    if all(isinstance(each, Integral) for each in (first, last, step)):
        return [int(first) + k * int(step) for k in range(count)]
    return [round(low + k * size, 12) for k in range(count)]


KEY = b"allotment"  # under which a file holds the settings that it was made with
FIXED = ("arms", "budget")  # what every problem has, and so no parameter beside it


def tidy(points: Sequence[tuple[Case, Result]]) -> "DataFrame":
    """One row per problem, policy, replication and recorded round.

    Parameters that a problem was not made with are missing in its rows.
    """
    cases = [case for case, _ in points]
    parts = [result_columns(result, tidy=True) for _, result in points]
    names = dict.fromkeys(name for case in cases for name in case.parameters if name not in FIXED)
    problems = {
        "problem": [case.name for case in cases],
        **{name: _column([case.parameters.get(name) for case in cases]) for name in names},
        "arms": [case.world.arms for case in cases],
        "budget": [case.world.budget for case in cases],
    }
    sizes = [part["regret"].size for part in parts]
    repeated = {
        name: np.repeat(np.asarray(values, _kind(values)), sizes) for name, values in problems.items()
    }
    return pandas_frame(
        repeated | {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    )


def _column(values: list[Any]) -> list[Any]:
    """Numbers where all are numbers, else text, since a column of a file is of one kind."""
    if all(value is None or type(value) in (int, float) for value in values):
        return (
            values if None not in values else [np.nan if value is None else float(value) for value in values]
        )
    return [None if value is None else str(value) for value in values]


def _kind(column: list[Any]) -> Any:
    return object if any(isinstance(value, str) for value in column) else None


def save_frame(frame: "DataFrame", path: Path, settings: Mapping[str, Any]) -> None:
    """Write a frame with the settings that it was made with, whole or not at all."""
    table = needed("pyarrow").Table.from_pandas(frame, preserve_index=False)
    about = {KEY: json.dumps({"settings": settings, "versions": versions()}).encode()}
    with replacing(path) as draft:
        needed("pyarrow.parquet").write_table(
            table.replace_schema_metadata({**table.schema.metadata, **about}), draft
        )


def load_frame(path: Path) -> "DataFrame":
    """Read a frame again."""
    return needed("pandas").read_parquet(path)


def settings_in(path: Path) -> dict[str, Any]:
    """The settings that a file was made with."""
    try:
        return dict(json.loads(needed("pyarrow.parquet").read_schema(path).metadata[KEY])["settings"])
    except MissingExtraError:
        raise
    except Exception:  # whatever the bytes make the readers stumble over
        raise FileError(f"{path} is not a sweep of allotment", INSTEAD) from None


def checked_out(out: AnyPath) -> Path:
    """A file that a sweep can be written to."""
    path = Path(out)
    if path.suffix.lower() != ".parquet":
        raise InputError.of("out", str(path), "a name that ends in .parquet")
    needed("pyarrow")
    ensure_writable(path)
    return path
