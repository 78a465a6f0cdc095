"""Results as files and as columns.

A file is an archive of arrays, with a head of plain data. Columns become data frames."""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.errors import FileError, InputError, shown
from allotment.system.files import AnyPath, read_bytes, replacing

if TYPE_CHECKING:
    from allotment.simulation.result import Result
    from allotment.simulation.trace import Trace


MOST_UNPACKED, MOST_RATIO = 2**26, 20  # of an unpacked result: bytes, and bytes per byte of its file
FORMAT = "allotment-result-1"


def checked_name(path: AnyPath) -> None:
    """Raise an error unless the file's name ends in .npz, or has no ending."""
    if Path(path).suffix.lower() not in ("", ".npz"):
        raise InputError.of("the name of the file", os.fspath(path), "one that ends in .npz")


def write_archive(path: AnyPath, head: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a file, whole or not at all."""
    checked_name(path)
    described = np.array(json.dumps({"format": FORMAT, **head}))
    with replacing(path) as draft, draft.open("wb") as file:
        # Compressed, it would take twenty times as long and hardly less room.
        np.savez(file, **{"head": described, **arrays})


def read_archive(path: AnyPath) -> tuple[dict[str, Any], dict[str, Any]]:
    """The head and the arrays of a file; what they hold is not checked."""
    data = read_bytes(path)
    try:
        arrays = _unpacked(data)
        head = json.loads(str(arrays["head"]))
        kind = head["format"]
    except Exception:  # whatever the bytes make the readers stumble over
        raise FileError(f"{os.fspath(path)} is not a saved result of allotment") from None
    if kind != FORMAT:
        raise FileError(f"{os.fspath(path)} has format {shown(kind)}", FORMAT, what="format", value=kind)
    return head, arrays


def _unpacked(data: bytes) -> dict[str, Any]:
    """The arrays of a saved result; files that unpack to far more than `save` writes are refused."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED + MOST_RATIO * len(data):
            raise ValueError("it unpacks to far more than its size")
    with np.load(io.BytesIO(data), allow_pickle=False) as content:
        return dict(content)


def result_columns(result: "Result", *, tidy: bool) -> dict[str, Any]:
    """A row for each policy and recorded round; if tidy, for each replication of these, too."""
    rounds, regrets = result.rounds, result.curves
    if tidy:
        count = result.replications
        each = {
            "replication": np.repeat(np.arange(count), rounds.size),
            "round": np.tile(rounds, count),
        }
        own = [{"regret": regret.paths.ravel()} for regret in regrets.values()]
    else:
        each = {"round": rounds}
        own = [{"mean": regret.mean, "low": regret.low, "high": regret.high} for regret in regrets.values()]
    length = next(iter(each.values())).size
    columns: dict[str, Any] = {"policy": np.repeat(np.array(list(regrets)), length)}
    columns |= {name: np.tile(values, len(regrets)) for name, values in each.items()}
    return columns | {name: np.concatenate([part[name] for part in own]) for name in own[0]}


def trace_columns(trace: "Trace") -> dict[str, Any]:
    """A row for each round and arm, with the situation if the world has several."""
    horizon, arms = trace.allocations.shape
    rounds, problem, situation = np.arange(1, horizon + 1), trace.problem, {}
    if problem.situations > 1:
        situation["situation"] = np.repeat([problem.situation_in(int(t)) for t in rounds], arms)
    return {
        "round": np.repeat(rounds, arms),
        **situation,
        "arm": np.tile(np.array(trace.names), horizon),
        "granted": trace.allocations.ravel(),
        "loss": trace.losses.astype(np.int64).ravel(),
        "regret": np.repeat(trace.regret, arms),
    }
