"""Hypothesis strategies for what many tests need."""

from hypothesis import strategies as st

from allotment import Problem

RATES = st.one_of(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(0.0, 1.0))
THRESHOLDS = st.one_of(
    st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.6, 0.7, 1.0]), st.floats(1e-3, 1.0, exclude_min=True)
)


@st.composite
def problems(draw, most_arms=8, same_threshold=False):
    """Problems with ties, exact fits, budgets below every threshold and above what all arms need."""
    arms = draw(st.integers(1, most_arms))
    rates = draw(st.lists(RATES, min_size=arms, max_size=arms))
    count = 1 if same_threshold else arms
    thresholds = draw(st.lists(THRESHOLDS, min_size=count, max_size=count))
    thresholds = thresholds * arms if same_threshold else thresholds
    subset = draw(st.lists(st.booleans(), min_size=arms, max_size=arms))
    exact = sum(threshold for threshold, taken in zip(thresholds, subset, strict=True) if taken)
    budget = draw(st.one_of(st.just(exact), st.floats(0.0, arms + 1.0), st.sampled_from([0.0, 0.5, 1.0])))
    return Problem(rates, thresholds, budget)
