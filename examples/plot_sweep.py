"""
A sweep as a heat map
=====================

CSB-DT on Instance 2 of the paper, for several budgets and several values of its parameter gamma, the room
that it assumes between the best allocation and the budget. ``sweep`` runs the whole grid and returns one
tidy data frame.
"""

import matplotlib.pyplot as plt

import allotment as al

BUDGETS, GAMMAS = [1.6, 1.8, 2.0, 2.2, 2.4], ["1e-4", "1e-3", "1e-2", "5e-2"]
frame = al.sweep(
    [{"problem": "paper-2", "budget": BUDGETS}],
    [f"csb-dt:gamma={gamma},label=gamma {gamma}" for gamma in GAMMAS],
    horizon=2000,
    replications=20,
    seed=0,
)
last = frame[frame["round"] == 2000]
table = last.groupby(["policy", "budget"], sort=False)["regret"].mean().unstack()

figure, axes = plt.subplots(layout="constrained")
image = axes.imshow(table, cmap="viridis")
axes.set_xticks(range(len(BUDGETS)), BUDGETS)
axes.set_yticks(range(len(GAMMAS)), GAMMAS)
axes.set(xlabel="budget", ylabel="gamma of CSB-DT")
for row, column in [(r, c) for r in range(len(GAMMAS)) for c in range(len(BUDGETS))]:
    regret = table.iloc[row, column]
    colour = "black" if regret > 600 else "white"  # readable on its cell
    axes.text(column, row, f"{regret:.0f}", ha="center", va="center", color=colour)
figure.colorbar(image, label="regret after 2000 rounds")
