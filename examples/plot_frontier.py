"""
A frontier: what more budget would buy
======================================

A campaign of six places has run for 40 nights. The frontier shows the losses to expect at every budget, if
each budget is split in the best known way. The dotted line is today's budget.
"""

import datetime
import tempfile

import numpy as np

import allotment as al

PLACES = {"Dock": 0.5, "Gate": 0.3, "Yard": 0.25, "Mill": 0.55, "Depot": 0.35, "Shed": 0.1}  # loss rates
random = np.random.default_rng(7)

with tempfile.TemporaryDirectory() as folder:
    campaign = al.Campaign.create(
        f"{folder}/night.db", "night", arms=list(PLACES), budget=8, unit=1, most=4, seed=1
    )
    for night in range(40):
        plan = campaign.ask(date=datetime.date(2026, 3, 1) + datetime.timedelta(days=night))
        remaining = {name: np.exp(-amount / 1.5) for name, amount in plan.amounts.items()}
        losses = {name: int(random.random() < rate * remaining[name]) for name, rate in PLACES.items()}
        campaign.tell(plan.id, losses)
    frontier = campaign.frontier(target=0.5)
    campaign.close()

figure = frontier.plot()
print("\n".join(frontier.sentences()))
