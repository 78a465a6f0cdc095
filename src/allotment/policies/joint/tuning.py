"""Every number that tunes Joint: its meaning, the study that chose it, and what it buys.

Studies are sections of docs/studies/joint.md. Regret there is a multiple of the regret of CTS, which knows
the thresholds, with noise of about 0.03. "Study: none" means that no record says how the number was chosen.
"Study: the whole rule" means that it was compared only as a part of the rule for finer grants: about twenty
variants of that rule, in the section "On the grid, or off it".
"""

# The parameters of the policy, unless the user gives others.

# Joint starts to look for thresholds at the multiples of this amount.
# Study: none; on the paper's Instance 2, 0.05 loses 47 and 0.01 loses 57.
RESOLUTION = 0.01

# The prior probability that thresholds are anything, and not multiples of the resolution.
# Study: the whole rule.
OFF_GRID = 0.05

# The prior probability that no amount covers an arm.
# Study: none.
UNCOVERABLE = 1e-3

# The prior of a loss rate: (α, β) of a Beta for yes/no losses, (a, b) of a Gamma for counts.
# Study: none; (1, 1) is the uniform prior.
SHAPE = (1.0, 1.0)

# Joint draws loss rates as if it had seen all evidence this many times.
# Study: "Which devices pay". Buys: 6 to 8 % of the regret, compared with 1; 2 has a longer tail.
TRUST = 1.5

# Until it has granted this many budgets, Joint spends step by step and solves no knapsack.
# Study: "Which devices pay". Buys: 3 to 6 % of the regret, and a third in the worst tenth off the grid.
OPENING = 30

# In the opening, a nat of information about the threshold is worth as much as covering this many arms.
# Study: "How the rule was chosen". Buys: the worst of 400 runs on Instance 2 lost 327; 1045 with 1.
CURIOSITY = 2.0

# Spending what is left of the budget.

# One sweep over the arms takes every raise that is worth at least this share of the best one.
# Study: none. Buys: time, since taking raises strictly in order would look for the best one after each.
WORTH_TAKING = 0.8

# Chances of this size are none, and values per unit that differ by this share are alike.
# Study: none. Buys: choices that do not depend on rounding errors, nor on which weights were dropped.
ALIKE = 1e-6

# Are thresholds on the grid?

# Below this probability that thresholds are on the grid, Joint grants finer amounts.
# Study: the whole rule.
DOUBT = 0.01

# Probe an arm only if its multiple covers it with at least this probability.
# Study: the whole rule.
SURE = 0.9

# A probe grants one part of the resolution less than the multiple that covers, of this many parts.
# Study: "Which devices pay". Buys: 1.5 to 3.7 % of the regret on the grid. There, the first loss at a probe
# multiplies the odds by this number.
PROBES = 1000.0

# Going down the cell between two candidates.

# A first step down a cell is one part of the resolution, of this many parts.
# Study: the whole rule. Buys: one loss a cell, however small the step; halving costs one every other time.
STEPS = 64

# Each further level of steps is this many times finer than the previous level.
# Study: the whole rule.
DEEPER_STEPS = 8

# A cell of up to this many steps (or probes) counts as one: any number between 1 and 2 allows for rounding.
# Study: none.
ABOUT_ONE = 1.5

# Search a cell once the threshold lies in it with at least this probability.
# Study: the whole rule.
FAIR = 0.5

# Give an arm what the others leave it only if that covers it with at least this probability.
# Study: the whole rule.
TRIED = 0.25

# Above this probability of covering the arm, Joint does not raise the grant.
# Study: the whole rule, after one problem (seed 22). Buys: the arm shows how little it needs.
TRUSTED = 0.7

# Where nothing else decides, an arm that is made way for is granted this share of its cell.
# Study: the whole rule.
MIDWAY = 0.5

# An arm has room for this many candidates between multiples.
# Study: the whole rule.
ROOM = 96

# Amounts that are granted only because they are left over may take this much of the room.
# Study: the whole rule.
HALF = ROOM // 2

# Precision of the compiled posterior: after a million rounds, weights are off by less than 1e-9.

# Rounding changes the logarithm of a chance in an arm's posterior by at most this.
# Study: none.
ROUNDING = 1e-9

# At the ends of an arm's candidates, drop a weight below this number.
# Study: none.
NEGLIGIBLE = 1e-40

# Compute an arm's weights anew once their sum is below this number; dropped ones might matter from there on.
# Study: none.
WORN = 1e-20

# Compute an arm's weights anew after this many rounds, before rounding errors add up.
# Study: none.
FRESH = 1 << 16
