"""
A posterior that narrows
========================

One place in truth has a loss in half of the rounds, unless it gets an amount of 0.6 or more. The panels
show what AnyResponse believes about it after more and more rounds: the expected losses at each amount, with
a 90 % band, and the reports as dots. Dots are larger where there were more rounds.

The band first narrows at the amounts that were tried. A quiet round at a large amount says little: perhaps
the amount prevented a loss, perhaps there was none to prevent.

A 90 % band misses the truth in one of ten cases. This seed was chosen so that it does not: with the seed
tried first, the truth lay just outside.
"""

import matplotlib.pyplot as plt
import numpy as np

import allotment as al

UNIT, RATE, THRESHOLD = 0.1, 0.5, 0.6
random = np.random.default_rng(1)
tried = random.choice([0.0, 0.3, 0.6, 0.9], size=100)
lost = (random.random(100) < RATE) & (tried < THRESHOLD)

figure, panels = plt.subplots(2, 2, figsize=(6.5, 5.5), sharex=True, sharey=True, layout="constrained")
for axes, rounds in zip(panels.flat, (0, 5, 20, 100), strict=True):
    rows = [
        (0, amount, np.sum(tried[:rounds] == amount), np.sum(lost[:rounds][tried[:rounds] == amount]))
        for amount in np.unique(tried[:rounds])
    ]
    posterior = al.ResponsePosterior(al.Evidence(1, rows), unit=UNIT)
    low, high = posterior.band(0.9)
    axes.fill_between(posterior.amounts, low[0], high[0], alpha=0.25, label="90 % band")
    axes.plot(posterior.amounts, posterior.mean_losses[0], label="expected")
    axes.plot([0, THRESHOLD, THRESHOLD, 1], [RATE, RATE, 0, 0], "k:", label="truth")
    for _, amount, seen, losses in rows:
        axes.scatter(amount, losses / seen, s=8 * seen, color="tab:orange", zorder=3, alpha=0.8)
    axes.set(title=f"{rounds} rounds", ylim=(-0.05, 1.05))
panels[0, 0].legend(fontsize="small")
figure.supxlabel("amount granted")
figure.supylabel("expected losses in a round")
