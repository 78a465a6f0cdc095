"""Arms are added, renamed, retired and brought back; settings change. Each change is an event."""

from collections.abc import Mapping
from typing import Any

from allotment.campaign import names
from allotment.campaign.changes import change_of, new_arm
from allotment.campaign.kept import Kept
from allotment.campaign.settings import Settings
from allotment.errors import ConflictError


class Arms(Kept):
    """A campaign whose arms and settings change."""

    def add_arm(
        self,
        name: str,
        *,
        most: Any = None,
        least: Any = 0,
        severity: Any = 1.0,
        group: str | None = None,
        threshold: Any = None,
        shape: Any = None,
        key: str | None = None,
    ) -> None:
        """Add an arm, from the next plan on."""
        given = {"most": most, "least": least, "severity": severity}
        rest = {"group": group, "threshold": threshold, "shape": shape}
        self._change(
            "arm added",
            "add_arm",
            {"name": name, **given, **rest},
            key,
            lambda settings: {"arm": new_arm(settings, name, **given, **rest).to_dict()},
        )

    def rename_arm(self, old: str, new: str, *, key: str | None = None) -> None:
        """Give an arm another name; the old one keeps pointing to it."""

        def decide(settings: Settings) -> Mapping[str, Any]:
            number, name = settings.find(old), names.name("an arm's name", new)
            settings.check_free(name, unless=number)
            return {"old": settings.arms[number].name, "new": name}

        self._change("arm renamed", "rename_arm", {"old": old, "new": new}, key, decide)

    def retire_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan no longer for an arm; what is known of it is kept."""
        self._activate("arm retired", "retire_arm", name, key, before=True)

    def restore_arm(self, name: str, *, key: str | None = None) -> None:
        """Plan for a retired arm again."""
        self._activate("arm restored", "restore_arm", name, key, before=False)

    def _activate(self, kind: str, method: str, name: str, key: Any, *, before: bool) -> None:
        def decide(settings: Settings) -> Mapping[str, Any]:
            arm = settings.arms[settings.find(name)]
            if arm.active is not before:
                now = "active" if arm.active else "retired"
                raise ConflictError(f"arm {arm.name!r} is {now} already", what="arm", value=name)
            return {"arm": arm.name}

        self._change(kind, method, {"name": name}, key, decide)

    def change(self, *, key: str | None = None, **settings: Any) -> None:
        """Change budget, most, least, groups, severities, thresholds, half_life, unit, scale, from now on."""
        self._change(
            "changed", "change", settings, key, lambda current: {"settings": change_of(current, settings)}
        )
