"""Three worlds that AnyResponse's family does not contain.

Someone who did not choose the rule writes them after the freeze. The seed of the trial depends on the bytes
of this file, so any change to it draws other problems.

`UNSEEN` maps the name of each world to its generator. A generator takes a random stream and returns a random
`Problem`. It draws from this stream only, so that the same seed gives the same problems. Each problem has:

- a response that never rises: `Piecewise` can hold any such curve;
- a `unit`, of which AnyResponse and the policies on pairs grant multiples;
- losses, yes or no (the default), or `sees="finds"`.

The number of arms, the loss rates and the budget are free. An example:

    def _late_start(stream: np.random.Generator) -> Problem:
        rates = stream.uniform(0.0, 1.0, 12)
        rows = [[1.0, 1.0, stream.uniform(0.2, 0.6), 0.1] for _ in range(12)]
        return Problem(rates, budget=4.0, response=Piecewise([0.0, 0.3, 0.6, 1.0], rows), unit=0.05)

    UNSEEN = {"late start": _late_start}
"""

from collections.abc import Callable, Mapping

import numpy as np

from allotment.worlds.problem import Problem

UNSEEN: Mapping[str, Callable[[np.random.Generator], Problem]] = {}
