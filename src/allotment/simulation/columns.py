"""Results and traces as columns, for data frames and files."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from allotment.simulation.result import Result
    from allotment.simulation.trace import Trace


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
