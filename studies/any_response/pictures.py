"""The figure of the study: regret over rounds in every kind of world, drawn from stored numbers."""

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from allotment.plots.lines import Line, Panel, draw_panels
from allotment.policies.known_response import KnownResponse
from studies.any_response.study import COMPARED, YARDSTICK
from studies.any_response.worlds import CONFIRMING, KINDS, problem_in
from studies.regret import mean_interval, mean_regret

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STORED = "panels.json"
SHOWN = ("AnyResponse", YARDSTICK, "TS on pairs", "Joint", "Equal split")
ROUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 3000]


def measure_panels(problems: int = 8, replications: int = 2, seed: int = 0) -> dict[str, Any]:
    """Mean regret at some rounds, with 95 % intervals over problems, by world and policy."""
    makers = {**COMPARED, YARDSTICK: KnownResponse}
    worlds: dict[str, Any] = {}
    for kind in KINDS:
        for name in SHOWN:
            found = []
            for k in range(problems):
                problem = problem_in(kind, CONFIRMING + k)
                policy = makers[name](problem)
                found.append(mean_regret(problem, policy, ROUNDS, replications=replications, seed=seed))
            worlds.setdefault(kind, {})[name] = [np.round(each, 3).tolist() for each in mean_interval(found)]
    made = {"problems": problems, "replications": replications, "seed": seed}
    return {**made, "rounds": ROUNDS, "worlds": worlds}


def stored_panels() -> dict[str, Any]:
    """What `measure_panels` gave when the study was run."""
    found: dict[str, Any] = json.loads(resources.files(__package__).joinpath(STORED).read_text("utf-8"))
    return found


def draw(content: dict[str, Any] | None = None) -> "Figure":
    """A panel for every kind of world; both axes are logarithmic."""
    content = stored_panels() if content is None else content
    rounds = np.array(content["rounds"])
    panels = []
    for kind, regrets in content["worlds"].items():
        lines = []
        for name, (mean, low, high) in regrets.items():
            floor = [np.maximum(np.array(each), 0.1) for each in (mean, low, high)]
            lines.append(Line(name, rounds, *floor))
        panels.append(Panel(tuple(lines), kind, logx=True, logy=True))
    return draw_panels(panels)
