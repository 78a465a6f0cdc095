"""
Four ways in which an arm can respond
=====================================

A response curve gives the share of the loss rate that remains at each amount. The paper studies the first
one: a step. A leak is the share that no amount prevents. AnyResponse learns which curve an arm has.
"""

import matplotlib.pyplot as plt
import numpy as np

import allotment as al

RESPONSES = {
    "step: enough prevents everything": al.Step(0.6),
    "step that leaks": al.Step(0.6, leak=0.2),
    "gradual: each unit helps less": al.Exponential(0.25),
    "S-shaped: a blurred threshold": al.Logistic(0.5, 0.08),
}
amounts = np.linspace(0.0, 1.0, 201)
figure, panels = plt.subplots(2, 2, figsize=(6.5, 5), sharex=True, sharey=True, layout="constrained")
for axes, (title, response) in zip(panels.flat, RESPONSES.items(), strict=True):
    world = al.Problem([1.0], budget=1.0, response=response, unit=0.005)
    axes.plot(amounts, [world.remaining([amount])[0] for amount in amounts])
    axes.set_title(title, fontsize="medium")
figure.supxlabel("amount granted")
figure.supylabel("share of the losses that remains")
