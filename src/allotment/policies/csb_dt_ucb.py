"""CSB-DT-UCB: CSB-DT with confidence bounds in its second phase (supplement)."""

from dataclasses import dataclass
from typing import Any

from allotment.policies.csb_dt import CsbDt
from allotment.policies.csb_ucb import CsbUcb
from allotment.policy import Policy, Setting


@dataclass(frozen=True)
class CsbDtUcb(Policy):
    """The search of CSB-DT, then the paper's confidence-bound learner; δ, ε and γ as there."""

    family = "CSB-DT-UCB"
    use = "To compare with CSB-DT, as the paper does; it usually loses more."

    delta: float | str = 0.1
    epsilon: float = 0.1
    gamma: float = 1e-3
    solve_every: int = 1
    scale: int | None = None

    def check(self) -> None:
        """Check the parameters."""
        searched = self._as_csb_dt()
        for name in ("delta", "epsilon", "gamma"):
            self.keep(name, getattr(searched, name))
        for name in ("solve_every", "scale"):
            self.keep(name, getattr(searched.learner, name))

    def _as_csb_dt(self) -> CsbDt:
        learner = CsbUcb(solve_every=self.solve_every, scale=self.scale)
        return CsbDt(self.delta, self.epsilon, self.gamma, learner)

    def state(self, setting: Setting) -> Any:
        """Make the state."""
        return self._as_csb_dt().state(setting)
