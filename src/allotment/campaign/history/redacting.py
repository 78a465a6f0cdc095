"""Events as plain data without the seeds that only backups and exports hold."""

from collections.abc import Mapping
from typing import Any


def redacted(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of an event without seeds and hashes."""
    payload = without_seeds(content["payload"])
    if isinstance(payload.get("settings"), dict):
        payload["settings"] = without_seeds(payload["settings"])
    return {name: part for name, part in content.items() if name not in ("hash", "request")} | {
        "payload": payload
    }


def without_control_seed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of an event without the seed of control rounds, which only backups and exports hold."""
    payload = _without_seed_of_control(content["payload"])
    if isinstance(payload.get("settings"), dict):
        payload["settings"] = _without_seed_of_control(payload["settings"])
    return {**content, "payload": payload}


def without_seeds(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The plain data of settings without the seed of the campaign and that of control rounds."""
    return _without_seed_of_control({name: part for name, part in settings.items() if name != "seed"})


def _without_seed_of_control(settings: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(settings)
    if isinstance(found.get("control"), dict):
        found["control"] = {name: part for name, part in found["control"].items() if name != "seed"}
    return found
