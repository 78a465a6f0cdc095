"""
Regret of all policies on one problem
=====================================

Instance 2 of the paper has five arms with different thresholds. Each line is a policy's mean regret: its
expected loss beyond the best allocation, summed over rounds. A band is the 95 % interval of the mean.

CTS is told the thresholds. The other policies learn them.
"""

import allotment as al

problem = al.Problem.named("paper-2")
policies = [
    al.CsbDtUcb(),
    al.CsbDt(),
    al.Joint(),
    al.Cts(thresholds=problem.thresholds),
]
result = al.simulate(problem, policies, horizon=5000, replications=100, seed=0, progress=False)
print(result)
figure = result.plot(logy=True)
