"""
A forecast: the next 30 rounds
==============================

A campaign of four places has run for 30 nights. The forecast plays the next 30 nights in worlds that the
reports allow, with four ways to plan. It holds as far as the model does.
"""

import datetime
import tempfile

import numpy as np

import allotment as al

PLACES = {"Dock": 0.5, "Gate": 0.3, "Yard": 0.25, "Mill": 0.55}  # loss rates
ENOUGH = {"Dock": 3, "Gate": 1, "Yard": 2, "Mill": 2}
random = np.random.default_rng(3)

with tempfile.TemporaryDirectory() as folder:
    campaign = al.Campaign.create(
        f"{folder}/night.db", "night", arms=list(PLACES), budget=5, unit=1, most=4, seed=1
    )
    for night in range(30):
        plan = campaign.ask(date=datetime.date(2026, 3, 1) + datetime.timedelta(days=night))
        rates = {name: PLACES[name] * (0.1 if plan.amounts[name] >= ENOUGH[name] else 1.0) for name in PLACES}
        campaign.tell(plan.id, {name: int(random.random() < rate) for name, rate in rates.items()})
    forecast = campaign.forecast(30)
    campaign.close()

figure = forecast.plot()
print(forecast)
