"""
A leak, and what it does to Joint
=================================

Joint assumes that cover is perfect: an arm that gets its threshold loses nothing. Here cover leaks: a covered
arm keeps a share of its losses. Without a leak, Joint and AnyResponse lose about the same. With a leak, each
loss under cover moves Joint's threshold upwards, and its regret grows in every round. AnyResponse learns the
leak.
"""

import matplotlib.pyplot as plt

import allotment as al

figure, panels = plt.subplots(1, 3, figsize=(10, 3), sharey=True, layout="constrained")
for axes, leak in zip(panels, (0.0, 0.02, 0.1), strict=True):
    response = al.Step([0.5, 0.3, 0.6, 0.4, 0.8], leak=leak)
    problem = al.Problem([0.9, 0.5, 0.4, 0.7, 0.3], budget=1.5, response=response, unit=0.1)
    policies = [al.Joint(), al.AnyResponse(unit=0.1), al.EqualSplit()]
    result = al.simulate(problem, policies, horizon=2000, replications=20, seed=0, progress=False)
    result.plot(axes, title=f"leak {leak:g}", logy=True, labels="legend" if leak == 0.1 else "none")
