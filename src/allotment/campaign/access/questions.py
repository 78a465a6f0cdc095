"""Questions that a server answers: each method of `Campaign` says where, to whom, and how answers are kept.

Routes of the API and methods of the client follow from it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

SEES, REPORTS, READS = "sees", "reports", "reads"
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True)
class Question:
    """A question by its path below the address of a campaign. A name in braces is a parameter.

    `of` are those who may ask: who sees the campaign, reports, or reads everything. Answers are kept until
    the next event, and for `seconds` longer. `work` is what takes long, and waits for its turn.
    Servers limit the memory and the time of what is `dear`.
    """

    path: str
    of: str = READS
    work: str = ""
    seconds: float = 0.0
    dear: bool = False


def question(path: str, **how: Any) -> Callable[[Method], Method]:
    """Let servers answer a method of `Campaign`."""

    def asked(method: Method) -> Method:
        vars(method)["question"] = Question(path, **how)
        return method

    return asked


def questions_to(kind: type) -> dict[str, tuple[Callable[..., Any], Question]]:
    """The methods of a class that are questions. Paths without parameters come first, as routes need it."""
    found = {name: (each, each.question) for name, each in vars(kind).items() if hasattr(each, "question")}
    return dict(sorted(found.items(), key=lambda each: "{" in each[1][1].path))
