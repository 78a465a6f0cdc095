"""What is frozen before the trial: decisions of every policy, problems, the analysis and the limits."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from allotment.errors import ConflictError, FileError
from allotment.system.files import read_bytes, replacing
from studies.any_response.trial import analysis
from studies.any_response.trial.parts import WHOLE, Part
from studies.any_response.trial.worlds import TrialWorld, draw_problem

SEED = 0  # of the problems whose digests are kept
PROBLEMS = 3  # of each world


def present(part: Part = WHOLE) -> dict[str, Any]:
    """The same as frozen.json, as the code has it now."""
    return {
        "extent": part.extent.to_dict(),
        "limits": {each.name: each.to_dict() for each in part.limits()},
        "analysis": analysis.example(part.limits()),
        "worlds": {world.name: _world(world, part) for world in part.worlds()},
        "decisions": {game.name: game.decisions() for game in part.games()},
    }


def _world(world: TrialWorld, part: Part) -> dict[str, Any]:
    drawn = [draw_problem(world, SEED, k) for k in range(PROBLEMS)]
    text = json.dumps([[problem.to_dict(), luck] for problem, luck in drawn])
    return {
        "problems": hashlib.sha256(text.encode()).hexdigest(),
        "horizon": world.horizon,
        "history": world.history,
        "policies": {name: repr(make(drawn[0][0])) for name, make in part.contestants(world).items()},
    }


def freeze(part: Part = WHOLE) -> None:
    """Write frozen.json, or the file of another part."""
    text = json.dumps(present(part), indent=1, ensure_ascii=False)
    with replacing(part.frozen) as draft:
        draft.write_text(text + "\n", "utf-8")


def refuse_differences(part: Part = WHOLE) -> None:
    """Raise an error that names the first difference between the frozen file and the code."""
    try:
        frozen = json.loads(read_bytes(part.frozen))
    except FileError as error:
        raise FileError(f"{error}; run the trial with --freeze first") from None
    difference = first_difference(frozen, json.loads(json.dumps(present(part))))
    if difference:
        raise ConflictError(f"{difference}; the trial runs only with what was frozen")


def first_difference(frozen: Any, now: Any, where: str = "") -> str:
    """A sentence that names the first difference; empty if there is none."""
    if isinstance(frozen, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys((*frozen, *now)):
            place = f"{where} → {key}" if where else key
            if key not in frozen or key not in now:
                return f"{place} is only in {'frozen.json' if key in frozen else 'the code'}"
            found = first_difference(frozen[key], now[key], place)
            if found:
                return found
        return ""
    return "" if frozen == now else f"{where} is {now!r}, but frozen.json has {frozen!r}"
