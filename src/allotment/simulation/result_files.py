"""The files that results are saved in: archives of arrays, with a head of plain data."""

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from allotment.errors import FileError, InputError, shown
from allotment.system.files import AnyPath, read_bytes, replacing

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
