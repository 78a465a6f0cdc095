"""One file per policy, named after it: CsbDtUcb lives in csb_dt_ucb.py. A new file is found by itself."""

import pkgutil

BASE = "base"  # the package that says what a policy is


def policy_modules() -> list[str]:
    """The module of each policy. Names that begin with an underscore hold what several policies share."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return [name for name in names if not name.startswith("_") and name != BASE]
