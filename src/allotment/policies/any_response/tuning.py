"""Every number that tunes AnyResponse: its meaning, the study that chose it, and what it buys.

Studies are sections of docs/studies/any-response.md; `make study NAME=any_response` runs them again. Regret
there is a multiple of that of Thompson sampling that is told the curves, with noise of 5 to 10 %; "together"
is its geometric mean over eight worlds. "Study: none" means that no record says how the number was chosen.
"""

from allotment.policies.any_response.precision import Precision

# The parameters of the policy, unless the user gives others.

# The prior weight of the free curve: none of the family's curves is true, every amount has its own rate.
# Study: "Choosing" and "Confirmed". Buys: stairs worlds 3.33 instead of 3.77; 0.15 and 0.3 did not help.
FREE = 0.05

# The prior weights of the kinds of curves count as much as this many arms.
# Study: "The clean trial". Buys: little; 1.03 and 1.06 times the regret of 0.2.0.dev1 in two suites.
LIKENESS = 0.4

# The same for numbers that people read.
# Study: "Bands that hold". Buys: where arms have nothing in common, 90 % bands hold for 89 %, not for 83 %.
READ_LIKENESS = 3.0

# The prior of loss rates: (α, β) of a Beta for yes/no losses, (a, b) of a Gamma for counts.
# Study: "Choosing". Buys: together 2.79 instead of 2.84 with uniform rates, which is within the noise.
RATES = {"binary": (0.5, 1.0), "counts": (0.5, 0.5)}

# The same for counted finds. An arm that shows nothing below its threshold is granted more only if the prior
# allows for high rates.
# Study: docs/studies/counts.md. Buys: campaigns cost 1.06 instead of 1.25 times as much as the best plan.
RATES_OF_FINDS = (0.3, 0.05)

# AnyResponse averages this many drawn curves.
# Study: "Choosing". Buys: together 2.79 instead of 3.40 with one; averages of three are stuck more often.
DRAWS = 2

# AnyResponse averages this many drawn curves of an arm where events are rare.
# Study: "Where losses are rare". Buys: 15 instead of 21 lost where loss rates are near 0.005 (hot spots: 8).
SCARCE_DRAWS = 5

# Events are rare if there were fewer than this many, divided by the units of a full grant: where amounts are
# few, it takes fewer draws to try them all.
# Study: "The clean trial". Buys: 1.080 instead of 1.084 times what hot spots lose in daily use with history.
SCARCE = 400.0

# The same where finds are seen, or losses are counted.
# Study: "Finds" in docs/studies/any-response.md, and docs/studies/counts.md. Buys: in LIZARD's world with 25
# targets and a budget of 5, 1.05 instead of 1.09 times what a greedy rule loses; 0.94 times the regret where
# losses are counted and few.
SCARCE_ELSEWHERE = 4000.0

# The opening, in which nothing is drawn, lasts this many budgets for each unit of a full grant.
# Study: "Confirmed", with 20 units. Buys: with CURIOSITY_BY_UNIT, leaking worlds 2.40 instead of 2.81.
OPENING_BY_UNIT = 2

# The opening lasts at least this many budgets.
# Study: "Choosing". Buys: little; in daily use, 8 to 40 budgets lost the same.
SHORTEST_OPENING = 10

# In the opening, a nat of information is worth as much as covering the arm this many times for each unit.
# Study: "Confirmed", with 20 units; see OPENING_BY_UNIT.
CURIOSITY_BY_UNIT = 0.25

# A nat is worth at least as much as covering the arm this many times.
# Study: "Choosing"; see SHORTEST_OPENING.
LEAST_CURIOSITY = 2.0

# In its n-th round, an arm gets nothing with probability LEFT_ALONE / n, if a draw doubts its grant.
# Study: "In the long run". Buys: exponential worlds grow by 1.30 instead of 1.42 in the second 10⁵ rounds.
LEFT_ALONE = 40.0

# An arm gets nothing in order to learn only after this many rounds; before, draws try enough amounts.
# Study: none.
ALONE_FROM = 5_000.0

# The family of curves.

# No curve leaves less than this share of the loss rate: evidence that it cannot explain must stay comparable.
# Study: none.
LEAST = 1e-9

# The prior weights of steps, lines to a cap, exponential curves, logistic curves and the flat curve.
# Study: "The clean trial". Buys: 1.07 instead of 1.09 times what hot spots lose in daily use with history.
STEP_WEIGHT, LINE_WEIGHT, EXPONENTIAL_WEIGHT, LOGISTIC_WEIGHT, FLAT_WEIGHT = 0.25, 0.2, 0.4, 0.15, 0.01

# Leaks of steps, with their shares of the steps' weight. Each stands for all leaks around it: the third
# number is the ratio of the largest to the smallest, so that together they reach from 0.007 to 0.7.
# Study: "Leaks". Buys: with GRADUAL_LEAKS, worlds that leak 30 % and more lose half as much or less.
LEAKS = (
    (0.0, 0.22, 1.0),
    (0.01, 0.16, 2.0),
    (0.02, 0.16, 2.0),
    (0.04, 0.16, 2.2),
    (0.1, 0.14, 2.5),
    (0.25, 0.1, 2.5),
    (0.5, 0.06, 2.0),
)

# Leaks of lines, exponential and logistic curves, likewise.
# Study: "Leaks".
GRADUAL_LEAKS = ((0.0, 0.64, 1.0), (0.07, 0.12, 2.9), (0.2, 0.12, 2.5), (0.45, 0.12, 2.4))

# Leaking lines are this many times as far apart as others, and leaking exponential curves likewise: it takes
# long to distinguish a leak from another parameter.
# Study: "Leaks": with 4 and 2, the same is lost.
THINNED_LINES, THINNED_SLOPES = 6, 3

# There are about this many caps of lines up to a full grant, at most this many for a unit.
# Study: none.
CAPS, CAPS_BY_UNIT = 40, 2

# Lines go to caps of 2 while they are at most this many, and otherwise to caps of 1.5.
# Study: "Confirmed". Buys: a round takes no longer.
MOST_LINES = 60

# How many exponential curves there are, and the exponents at a full grant of the first and the last.
# Study: none.
SLOPES, FIRST_EXPONENT, LAST_EXPONENT = 30, 0.3, 60.0

# How many middles logistic curves have, and logistic curves that leak.
# Study: "Leaks": with 20 of both, the same is lost.
MIDDLES, LEAKING_MIDDLES = 20, 10

# The widths of logistic curves; each stands for a range whose ends have this ratio.
# Study: "Leaks". Logistic worlds lost 228 instead of 187 with three widths and KIND_STEPS = 3 together.
WIDTHS, WIDTH_RATIO = (0.02, 0.04, 0.08, 0.16), 2.0

# The widths of logistic curves that leak, likewise.
# Study: "Leaks". Buys: time.
LEAKING_WIDTHS, LEAKING_WIDTH_RATIO = (0.06,), 4.0

# The prior weight of capped curves, on which a unit finds one incident at most; their lowest mean count, and
# the ratio of one mean to the next.
# Study: "Attention allocation" in docs/studies/counts.md. Buys: 5918 instead of 5709 finds.
CAPPED_WEIGHT, LEAST_CAPPED, CAPPED_RATIO = 0.1, 0.2, 1.1

# Finer curves take the place of coarse ones.

# An arm needs this many rounds, or for counts this many incidents, before finer curves are considered.
# Study: "Leaks": with 1000 the same is lost, within the noise.
FINER_FROM = 300.0

# Finer curves are considered while at most this many curves are likely.
# Study: none for the number. Buys, as finer curves do: 309 instead of 984 lost in long linear runs.
FEW = 192

# A curve is likely if it weighs at least e^-LIKELY times as much as the likeliest one.
# Study: none.
LIKELY = 12.0

# Where every curve has a row, an arm has room for this many times the coarse curves.
# Study: none.
ROOM = 2

# For counts, choose curves anew once reports have told this many nats about the curve, or once a report lies
# this many standard deviations from what was expected.
# Study: none.
LEARNT, SURPRISE = 0.25, 5.0

# A coarse curve falls into at most this many curves of one level.
# Study: none.
PARTS = 32

# With more units in a full grant than this, finer steps and lines are computed instead of looked up.
# Study: none. Buys: memory, since their table grows with the square of the units.
TABLED = 100

# The free curve, and what arms have in common.

# An amount that was never granted counts for this many rounds when drawn rates are made never rising.
# Study: none.
UNSEEN = 0.1

# After this many rounds of an arm, or for counts this many incidents, its free curve is made of stairs.
# Study: "In the long run". Buys: 2086 instead of 7197 lost in 10⁵ rounds of stairs worlds.
STAIRS_FROM = 4_000.0

# A stair begins within a twentieth of a full grant with this probability.
# Study: none.
BEGINS = 0.2

# Nothing ever happens on a stair with this probability.
# Study: "In the long run". Buys: 1679 lost in stairs worlds, 219 in step worlds; with 0.3, 1555 and 246.
QUIET = 0.1

# The weights of the kinds go this many steps from the prior towards their fixpoint, for a learner's first
# decision. For every later decision they go LATER_KIND_STEPS from where they are.
# Study: "The clean trial". Buys: in daily use without history, 1.01 instead of 1.06 times what hot spots lose
# with 5 steps from the prior in each round.
KIND_STEPS, LATER_KIND_STEPS = 40, 3

# Several situations.

# The factor of a situation begins with this many events in as many expected ones.
# Study: none.
FACTOR_EVENTS = 1.0

# A factor is known once this many events were to be expected in its situation, had it no factor. Rates are
# taken for the same up to factors only where all of these are known.
# Study: none.
KNOWN_EVENTS = 10.0

# The factors take this many steps towards their fixpoint.
# Study: none. Buys: nothing is left to gain after some ten steps.
FACTOR_STEPS = 20

# Where rates are the same up to factors, factors stay until one is off by this many standard deviations.
# Study: none. Buys: exactness, since all arms are then computed again with the same factors.
FACTOR_OFF = 0.5

# A model of what situations have in common is sure once its evidence leads by this many nats. Rates are taken
# for the same up to factors only where that is sure. While no model is, an arm's evidence is weighed again
# after DOUBTED_ROUNDS, or this share of its rounds.
# Study: "Situations". Buys: steps that differ by situation lose 1.00 instead of 1.04 times what a learner for
# each loses; without weekly looks, 0.94 instead of 0.93 times what ignoring situations loses.
SURE_LEAD, DOUBTED_ROUNDS, DOUBTED_SHARE = 12.0, 7.0, 0.5

# How closely beliefs are computed.

# Runs and forecasts compute expected losses to within some 2 %. Eight nodes would lie about as far apart
# as the density of a rate is wide, where the sum over nodes differs from the integral by 1e-6, and by 1 %
# once the evidence has tripled.
# Study: "The clean trial": 8 nodes lost more, 16 take too long.
SIMULATING = Precision(cut=8.0, drop=7.0, nodes=12)

# Plans compute them to within 0.1 %, which nobody can read off a plan.
# Study: none. Buys: time, since one fit then serves the plan and its expectations.
PLANNING = Precision(cut=14.0, drop=10.0, nodes=32)

# Numbers that people read are exact in every digit that is shown.
# Study: none.
READING = Precision(cut=30.0, drop=18.0, nodes=96)

# For counts, compute an arm's weights anew after FIRST rounds or incidents, and then whenever these have
# grown GROWTH times.
# Study: none. Buys: time.
GROWTH, FIRST = 3.0, 8.0

# For yes/no losses, likewise for events: they narrow the posterior of the rate under every curve, at last to
# less than the distance of nodes.
# Study: "When yes/no beliefs are made anew". Buys: of 600 histories, the worst is off by 0.12 standard
# deviations of the posterior instead of 3.4.
EVENTS_GROWTH, FIRST_EVENTS = 3.5, 1.0

# And likewise for rounds, which also move the posterior where nothing happens.
# Study: the same. Buys: a round takes no longer than when rounds alone counted, with GROWTH and FIRST.
ROUNDS_GROWTH, FIRST_ROUNDS = 5.0, 24.0

# Compute them anew after this many rounds at the latest, before errors of single precision reach 1e-3.
# Study: none.
LONGEST = 20_000.0

# Compute them anew after this many rounds at the latest where rates are listed: for exact draws, errors of
# single precision must stay below 1e-4.
# Study: none. It takes a tenth of the time of a round.
LISTED_LONGEST = 256.0

# Rounding changes the logarithm of a chance in an arm's posterior by at most this, where draws are exact.
# Study: none. It is twice what LISTED_LONGEST allows, for the sums that a draw takes.
LISTED_ROUNDING = 2e-4

# `AnyResponse.plain` takes this many loss rates, equally likely, for the Beta of the prior.
# Study: none.
LISTED_RATES = 16

# Where that is due shortly before FINER_FROM or STAIRS_FROM, in rounds by this factor, it waits for these.
# Study: none.
SHORTLY = 1.1

# Where evidence ages, compute weights anew after this share of 1 / (1 - keep) rounds, but not before
# AGED_ROUNDS. In between, the weights of yes/no losses take in reports in full and do not age. With short
# half-lives, AGED_ROUNDS would be too long: not after more than AGED_LATEST / (1 - keep), half a half-life.
# Study: "Places that change". Buys: a round takes at most twice as long as without a half-life.
AGED_SHARE, AGED_ROUNDS, AGED_LATEST = 0.1, 56.0, 0.35

# Where evidence ages, forget an amount once less than this many rounds and incidents are left of it.
# Study: none. Buys: time, since amounts that were granted long ago are looked at no more.
FORGOTTEN = 0.01

# Likelihood ratios are at most e^SUREST, so that they stay finite.
# Study: none.
SUREST = 600.0

# Looking for the peak of the density of θ = log(-log(1 - rate)), and for where it ends.

# A peak is found to within this share of its width.
# Study: none.
NEAR = 0.02

# No density is taken for wider or narrower than this.
# Study: none.
WIDEST, NARROWEST = 3.0, 1e-4

# The ends of θ: rates next to 0, and next to 1.
# Study: none.
LOWEST, HIGHEST = -60.0, 3.5

# A search for a peak begins at most here.
# Study: none.
HIGHEST_GUESS = 1.0

# Where Newton's step leaves the bracket, halve the bracket instead, but look at most this far.
# Study: none.
FARTHEST = 8.0

# The search for the end of a density takes steps that grow by this factor.
# Study: none.
STEP_GROWTH = 1.2

# A search takes at most this many turns; most end after a few.
# Study: none.
MANY = 60
