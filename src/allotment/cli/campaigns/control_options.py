"""Options of control rounds: their share and the comparison plan."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from allotment.cli.campaigns.shared import by_name, texts_in
from allotment.errors import ConflictError

if TYPE_CHECKING:
    from allotment.campaign.settings.settings import Settings

OPTION, NONE, USUAL = "--control", "none", "0.25"


class WithControl(TyperCommand):
    """A command whose option --control may stand alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with the usual share after an option --control that stands alone."""
        given = list[str]()
        for argument, following in zip_longest(args, args[1:], fillvalue=""):
            given.append(argument)
            if argument == OPTION and not _is_share(following):
                given.append(USUAL)
        return super().parse_args(ctx, given)


def _is_share(text: str) -> bool:
    """Whether a text was meant as a share, right or wrong: it begins like a number, or is none."""
    return text.lower() == NONE or text.lstrip("+-.")[:1].isdecimal()


def control_in(
    share: str | None, plan: str | None, settings: "Settings | None" = None
) -> dict[str, Any] | None:
    """Control rounds as the library takes them, None for none. Call it only if a share or a plan is given."""
    is_off = settings is None or settings.control is None
    if plan is not None and ((share is None and is_off) or (share or "").lower() == NONE):
        raise ConflictError(
            "--control-plan is given, but no control rounds", f"{OPTION} with a share", what="--control-plan"
        )
    if share is not None and share.lower() == NONE:
        return None
    found: dict[str, Any] = {} if share is None else {"share": share}
    if plan is not None:
        found["plan"] = plan if "=" not in plan else by_name("--control-plan", texts_in(plan))
    return found
