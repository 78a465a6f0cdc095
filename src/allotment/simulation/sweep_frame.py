"""The tidy frame of a sweep, and its file."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.errors import FileError, InputError, MissingExtraError
from allotment.frames import needed, pandas_frame
from allotment.simulation.columns import result_columns
from allotment.simulation.grid import Case
from allotment.simulation.partial_run import INSTEAD
from allotment.simulation.result import Result
from allotment.system.files import AnyPath, ensure_writable, replacing
from allotment.version import versions

if TYPE_CHECKING:
    from pandas import DataFrame

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
