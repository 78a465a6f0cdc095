"""The small and short games: CTS on Instance 2 of the paper, and the game of `turns.py` in fewer rounds."""

from itertools import product

from turns import take_turns

LOSS_RATES, THRESHOLDS = (0.9, 0.89, 0.87, 0.58, 0.3), (0.7, 0.7, 0.7, 0.6, 0.35)  # Instance 2
BUDGETS = {"cts-2": 2.0, "cts-2.05": 2.05}
ROUNDS = {"cts-2": 5000, "cts-2.05": 5000, "mp-ts-1000": 1000, "mp-ts-10000": 10_000}
REPLICATIONS = {"cts-2": 400, "cts-2.05": 400, "mp-ts-1000": 500, "mp-ts-10000": 100}


def maximal_sets(budget):
    """The sets of arms that the budget covers, and beside which no other arm can be covered."""
    sets = [each for each in product((0, 1), repeat=len(THRESHOLDS)) if _cost(each) <= budget + 1e-9]
    return [one for one in sets if not any(_contains(other, one) for other in sets if other != one)]


def _cost(chosen):
    return sum(threshold for threshold, taken in zip(THRESHOLDS, chosen, strict=True) if taken)


def _contains(large, small):
    return all(one >= other for one, other in zip(large, small, strict=True))


def play_in_turns(game, play, version):
    """Take turns at a game; `play(game, rounds, replications, seed)` returns the mean regret."""
    rounds, replications = ROUNDS[game], REPLICATIONS[game]
    take_turns(lambda count, seed: play(game, rounds, count, seed), replications, version, rounds)
