"""
The paper's Figure 2
====================

CSB-ST on Instance 1: 20 arms share one threshold, and the budget is 7. With a lower threshold, the budget
covers more arms. The policy then sees fewer losses, learns loss rates more slowly, and its regret grows.

``allotment reproduce`` runs all figures of the paper, in both settings, with more replications.
"""

import matplotlib.pyplot as plt
import numpy as np

import allotment as al

loss_rates = np.round(0.7 - np.arange(20) / 40, 2)  # as in the authors' published code
figure, axes = plt.subplots(layout="constrained")
for threshold in (0.45, 0.55, 0.7, 0.85, 0.95):
    problem = al.Problem(loss_rates, threshold, budget=7)
    policy = al.CsbSt(window_rule="published", probed_arms="random", label=f"threshold {threshold}")
    result = al.simulate(problem, policy, horizon=10_000, replications=20, seed=0, progress=False)
    path = result[policy.label]
    axes.plot(result.rounds, path.mean, label=policy.label)
    axes.fill_between(result.rounds, path.low, path.high, alpha=0.2)
axes.set(xlabel="Round", ylabel="Cumulative regret (losses)")
axes.legend()
