"""Joint: the policy, its beliefs about thresholds, its posterior and its rule.

The policy loads what is compiled, so it is loaded when it is asked for, and not before.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from allotment.policies.joint.policy import Joint as Joint


def __getattr__(name: str) -> Any:
    if name != "Joint":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from allotment.policies.joint.policy import Joint

    return Joint
