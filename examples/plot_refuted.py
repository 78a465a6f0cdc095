"""
Thresholds refuted, and thresholds searched
===========================================

Instance 2 of the paper, with a budget of 2.05: what two policies know of the five thresholds (dotted).

Refute, on the left, acts on the smallest threshold that no loss has refuted, so its lines only rise. It never
stops to search. In its first rounds it grants more at times, and one loss refutes many candidates.

CSB-DT, on the right, halves an interval for each arm, and waits for a run of quiet rounds before it believes
that an amount covers. Until its intervals are narrow, it does nothing else.
"""

import matplotlib.pyplot as plt
import numpy as np

import allotment as al

ROUNDS = 1000
paper = al.Problem.named("paper-2")
problem = al.Problem(paper.loss_rates, paper.thresholds, 2.05)
losses = np.random.default_rng(3).random((ROUNDS, 5)) < problem.loss_rates


def play(policy, known):
    """What the policy knows before each round."""
    learner, seen = policy.start(5, problem.budget, seed=3), []
    for happens in losses:
        seen.append(known(learner.state))
        learner.tell(happens & (learner.ask() < problem.thresholds - 1e-12))
    return np.array(seen)


lowest = play(al.Refute(), lambda state: state.left.levels[state.left.lowest])
search = play(al.CsbDt(), lambda state: np.stack([state.low, state.high]))
rounds = np.arange(1, ROUNDS + 1)
figure, panels = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True, layout="constrained")
for arm, colour in enumerate(["C0", "C1", "C2", "C3", "C4"]):
    panels[0].step(rounds, lowest[:, arm], color=colour, where="post", label=f"arm {arm + 1}")
    panels[1].fill_between(rounds, search[:, 0, arm], search[:, 1, arm], color=colour, alpha=0.3, step="post")
    for axes in panels:
        axes.axhline(problem.thresholds[arm], color=colour, linestyle=":")
panels[0].set(title="Refute: the smallest candidate left", ylabel="threshold")
panels[1].set(title="CSB-DT: the interval of its search")
panels[0].legend(loc="lower right", fontsize="small")
for axes in panels:
    axes.set(xscale="log", xlabel="round", ylim=(0, 1.02))
