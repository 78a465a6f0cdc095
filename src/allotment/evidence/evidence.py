"""Evidence: rows of (arm, amount, rounds, losses), all that a learner needs where order does not matter.

Evidence of several situations has the situation of each row in a fifth place.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from allotment.arrays import FloatArray
from allotment.checks import number, one_of, whole
from allotment.errors import ConflictError, FileError, InputError, shown
from allotment.evidence.rows import Row, SituatedRow, checked_row
from allotment.system.files import read_bytes, replacing
from allotment.tolerance import EVIDENCE_SLACK
from allotment.worlds.world import KINDS, SEES

FORMAT = "allotment-evidence-1"
FORMAT_OF_SITUATIONS = "allotment-evidence-2"  # which versions that know no situations refuse


class Evidence:
    """The rounds and losses seen so far, by arm and amount, in no particular order.

    Parameters
    ----------
    arms : int
        The number of arms.
    rows : iterable of (int, float, float, float) or (int, float, float, float, int)
        (arm, amount, rounds, losses), and the situation in a fifth place; without it, the situation is 0.
        Rows with the same arm, amount and situation are added up. Amounts are from 0 to 1; rounds and losses
        may be fractions.
    sees : {"losses", "finds"}
        Whether the counts are losses that happened, or incidents that grants prevented.
    losses : {"binary", "counts"}
        Whether a round has at most one loss per arm, or any number.
    situations : int
        The number of situations that the rows distinguish.

    Attributes
    ----------
    rows : tuple of Row or tuple of SituatedRow
        The rows, merged and sorted by arm, situation and amount. With one situation, they do not name it.

    Raises
    ------
    InputError
        If a row is not (arm, amount, rounds, losses), or a value is out of range.

    Examples
    --------
    >>> log = Evidence(2, [(0, 0.5, 3, 1), (1, 0.0, 2, 2), (0, 0.5, 1, 0)])
    >>> log.rows
    (Row(arm=0, amount=0.5, rounds=4.0, losses=1.0), Row(arm=1, amount=0.0, rounds=2.0, losses=2.0))
    >>> Evidence(1, [(0, 0.5, 3, 1, 1)], situations=2).rows
    (SituatedRow(arm=0, amount=0.5, rounds=3.0, losses=1.0, situation=1),)
    """

    rows: tuple[Row, ...] | tuple[SituatedRow, ...]

    def __init__(
        self,
        arms: int,
        rows: Iterable[Any] = (),
        *,
        sees: str = "losses",
        losses: str = "binary",
        situations: int = 1,
    ) -> None:
        self.arms = whole("arms", arms, least=1)
        self.sees = one_of("sees", sees, SEES)
        self.losses = one_of("losses", losses, KINDS)
        self.situations = whole("situations", situations, least=1)
        gathered: dict[tuple[int, int, float], list[tuple[float, float]]] = {}
        for position, row in enumerate(rows):
            arm, amount, rounds, lost, situation = checked_row(
                f"rows[{position}]", row, self.arms, self.situations, self.losses
            )
            if rounds > 0.0 or lost > 0.0:
                gathered.setdefault((arm, situation, amount), []).append((rounds, lost))
        merged = tuple(
            SituatedRow(
                arm,
                amount,
                math.fsum(each[0] for each in seen),
                math.fsum(each[1] for each in seen),
                situation,
            )
            for (arm, situation, amount), seen in sorted(gathered.items())
        )
        self.rows = merged if self.situations > 1 else tuple(Row(*row[:4]) for row in merged)

    def __iter__(self) -> Iterator[Row | SituatedRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of_arm(self, arm: int) -> tuple[Row | SituatedRow, ...]:
        """Get the rows of one arm.

        Parameters
        ----------
        arm : int
            The arm, counted from 0.

        Returns
        -------
        tuple of Row or tuple of SituatedRow
            The rows, sorted by situation and amount.
        """
        return tuple(row for row in self.rows if row.arm == arm)

    def columns(self) -> tuple[Any, ...]:
        """Arms, amounts, rounds and losses, as arrays; with several situations, the situations last."""
        fields = (Row if self.situations == 1 else SituatedRow).__annotations__
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(fields)
        return tuple(np.array(column, kind) for column, kind in zip(columns, fields.values(), strict=True))

    def in_units(self, units: int) -> tuple[FloatArray, FloatArray]:
        """Count rounds and losses by arm and by whole units of the amount.

        Parameters
        ----------
        units : int
            The number of units in a full grant of 1.

        Returns
        -------
        rounds, losses : FloatArray
            Tables with a row for each arm and a column for 0, 1, …, `units` units. With several situations,
            one such table for each.
        """
        arms, amounts, spent, seen, *situations = self.columns()
        contained = np.minimum(np.floor((amounts + EVIDENCE_SLACK) * units).astype(np.int64), units)
        where = (*situations, arms, contained)
        several = (self.situations,) if self.situations > 1 else ()
        rounds, losses = (np.zeros((*several, self.arms, units + 1)) for _ in range(2))
        np.add.at(rounds, where, spent)
        np.add.at(losses, where, seen)
        return rounds, losses

    def pooled(self) -> Self:
        """Add up the situations: the evidence for a learner that does not distinguish them."""
        if self.situations == 1:
            return self
        rows = (row[:4] for row in self.rows)
        return type(self)(self.arms, rows, sees=self.sees, losses=self.losses)

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Evidence):
            return NotImplemented
        for what in ("arms", "sees", "losses", "situations"):
            if getattr(self, what) != getattr(other, what):
                raise ConflictError(
                    f"evidence of {what} {shown(getattr(self, what))} cannot be added to evidence of {what} "
                    f"{shown(getattr(other, what))}",
                    "the same kind",
                    what=what,
                    value=getattr(other, what),
                )
        return self._like((*self.rows, *other.rows))

    def aged(self, factor: float) -> Self:
        """Weigh the evidence less, because it is old.

        Parameters
        ----------
        factor : float
            The weight of each round and loss, from 0 to 1.

        Returns
        -------
        Evidence
            The same rows, with rounds and losses times the factor.

        Raises
        ------
        InputError
            If the factor is not from 0 to 1.

        Examples
        --------
        >>> Evidence(1, [(0, 0.5, 4, 2)]).aged(0.5).rows
        (Row(arm=0, amount=0.5, rounds=2.0, losses=1.0),)
        """
        factor = number("factor", factor, "a number from 0 to 1", least=0.0, most=1.0)
        return self._like(
            row._replace(rounds=factor * row.rounds, losses=factor * row.losses) for row in self.rows
        )

    def _like(self, rows: Iterable[Any]) -> Self:
        return type(self)(self.arms, rows, sees=self.sees, losses=self.losses, situations=self.situations)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evidence) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.arms, self.sees, self.losses, self.situations, self.rows))

    def __repr__(self) -> str:
        rounds = math.fsum(row.rounds for row in self.rows)
        kind = f"{self.losses} {self.sees}"
        if self.situations > 1:
            kind += f", {self.situations} situations"
        return f"<Evidence of {self.arms} arms: {rounds:g} rounds in {len(self.rows)} rows, {kind}>"

    def to_dict(self) -> dict[str, Any]:
        """The evidence as plain lists and numbers. One situation is not named."""
        several = {"situations": self.situations} if self.situations > 1 else {}
        return {
            "arms": self.arms,
            "sees": self.sees,
            "losses": self.losses,
            **several,
            "rows": [list(row) for row in self.rows],
        }

    @property
    def _format(self) -> str:
        return FORMAT if self.situations == 1 else FORMAT_OF_SITUATIONS

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the evidence to a JSON file.

        Parameters
        ----------
        path : str or path
            The file. An earlier file of this name is replaced.

        Raises
        ------
        FileError
            If the file cannot be written. An earlier file then stays as it was.
        """
        with replacing(path) as draft:
            draft.write_text(json.dumps({"format": self._format, **self.to_dict()}) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read evidence from a file that `save` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Evidence
            The evidence, equal to the evidence that was saved.

        Raises
        ------
        FileError
            If the file cannot be read or holds no evidence.
        """
        try:
            content = json.loads(read_bytes(path))
            found = content.pop("format")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FileError(f"{os.fspath(path)} is not evidence saved by allotment") from None
        known = (FORMAT, FORMAT_OF_SITUATIONS)
        if found not in known:
            raise FileError(
                f"{os.fspath(path)} has format {shown(found)}", " or ".join(known), what="format", value=found
            )
        try:
            made = cls(**content)
        except (InputError, TypeError) as error:
            raise FileError(f"{os.fspath(path)} cannot be used: {error}") from None
        if made._format != found:
            raise FileError(
                f"{os.fspath(path)} has format {found}, but situations={made.situations}", made._format
            )
        return made
