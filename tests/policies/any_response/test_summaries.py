"""How much the losses of one round vary, given what is known."""

import numpy as np
import pytest

from allotment import Evidence, ResponsePosterior

ROWS = [(0, 0.0, 30, 9), (0, 0.5, 20, 4), (0, 1.0, 10, 1), (1, 0.25, 5, 5)]


def test_yes_or_no_losses_vary_as_their_mean_says_however_uncertain_it_is():
    found = ResponsePosterior(Evidence(2, ROWS), unit=0.25)
    np.testing.assert_allclose(found.loss_variances, found.mean_losses * (1.0 - found.mean_losses))


@pytest.mark.parametrize(("arms", "free", "close"), [((0, 1), 0.0, 0.04), ((0,), 0.05, 0.1)])
def test_counted_losses_vary_by_chance_and_by_what_is_not_known(arms, free, close):
    """Of the free curve, whose draws are made to fall, mean and variance are near where much was seen."""
    found = ResponsePosterior(Evidence(2, ROWS, losses="counts"), unit=0.25, free=free)
    drawn = found.draw(20_000, seed=1)
    expected = drawn.mean(axis=0) + drawn.var(axis=0)
    np.testing.assert_allclose(found.loss_variances[list(arms)], expected[list(arms)], rtol=close)
    assert (found.loss_variances > found.mean_losses).all()
