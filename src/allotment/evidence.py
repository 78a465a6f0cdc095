"""Evidence: rows of (arm, amount, rounds, losses), all that a learner needs where order does not matter."""

import json
import math
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from allotment.arrays import FloatArray, IntArray
from allotment.checks import nonnegative, number, one_of, whole
from allotment.errors import ConflictError, FileError, InputError, shown
from allotment.files import read_bytes, replacing
from allotment.tolerance import EVIDENCE_SLACK
from allotment.worlds.world import KINDS, SEES

FORMAT = "allotment-evidence-1"
DIGITS = 12  # amounts closer than the tolerance are the same amount


class Row(NamedTuple):
    """The rounds and losses of an arm at one amount. Aged evidence has fractions of both."""

    arm: int
    amount: float
    rounds: float
    losses: float


class Evidence:
    """The rounds and losses seen so far, by arm and amount, in no particular order.

    Parameters
    ----------
    arms : int
        The number of arms.
    rows : iterable of (int, float, float, float)
        (arm, amount, rounds, losses). Rows with the same arm and amount are added up. Amounts are from 0 to
        1; rounds and losses may be fractions.
    sees : {"losses", "finds"}
        Whether the counts are losses that happened, or incidents that grants prevented.
    losses : {"binary", "counts"}
        Whether a round has at most one loss per arm, or any number.

    Attributes
    ----------
    rows : tuple of Row
        The rows, merged and sorted by arm and amount.

    Raises
    ------
    InputError
        If a row is not (arm, amount, rounds, losses), or a value is out of range.

    Examples
    --------
    >>> log = Evidence(2, [(0, 0.5, 3, 1), (1, 0.0, 2, 2), (0, 0.5, 1, 0)])
    >>> log.rows
    (Row(arm=0, amount=0.5, rounds=4.0, losses=1.0), Row(arm=1, amount=0.0, rounds=2.0, losses=2.0))
    """

    def __init__(
        self, arms: int, rows: Iterable[Any] = (), *, sees: str = "losses", losses: str = "binary"
    ) -> None:
        self.arms = whole("arms", arms, least=1)
        self.sees = one_of("sees", sees, SEES)
        self.losses = one_of("losses", losses, KINDS)
        gathered: dict[tuple[int, float], list[tuple[float, float]]] = {}
        for position, row in enumerate(rows):
            arm, amount, rounds, lost = self._checked(position, row)
            if rounds > 0.0 or lost > 0.0:
                gathered.setdefault((arm, amount), []).append((rounds, lost))
        self.rows = tuple(
            Row(arm, amount, *(math.fsum(parts) for parts in zip(*seen, strict=True)))
            for (arm, amount), seen in sorted(gathered.items())
        )

    def _checked(self, position: int, row: Any) -> Row:
        try:
            arm, amount, rounds, lost = row
        except (TypeError, ValueError):
            raise InputError.of(f"rows[{position}]", row, "(arm, amount, rounds, losses)") from None
        name = f"of rows[{position}]"
        arm = whole(f"the arm {name}", arm, least=0, most=self.arms - 1)
        amount = number(f"the amount {name}", amount, "a number from 0 to 1", least=0.0, most=1.0)
        rounds, lost = nonnegative(f"the rounds {name}", rounds), nonnegative(f"the losses {name}", lost)
        if self.losses == "binary" and lost > rounds:
            raise InputError(
                f"the losses {name} are {lost:g} in {rounds:g} rounds",
                "at most one a round",
                what="losses",
                value=lost,
            )
        if rounds == 0.0 and lost > 0.0:
            raise InputError.of(f"the rounds {name}", rounds, "more than 0, since there were losses")
        return Row(arm, round(amount, DIGITS), rounds, lost)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def of_arm(self, arm: int) -> tuple[Row, ...]:
        """Get the rows of one arm.

        Parameters
        ----------
        arm : int
            The arm, counted from 0.

        Returns
        -------
        tuple of Row
            The rows, sorted by amount.
        """
        return tuple(row for row in self.rows if row.arm == arm)

    def columns(self) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
        """Arms, amounts, rounds and losses, as arrays."""
        table = np.array(self.rows, np.float64).reshape(-1, 4)
        arms, amounts, rounds, losses = (np.ascontiguousarray(column) for column in table.T)
        return arms.astype(np.int64), amounts, rounds, losses

    def in_units(self, units: int) -> tuple[FloatArray, FloatArray]:
        """Count rounds and losses by arm and by whole units of the amount.

        Parameters
        ----------
        units : int
            The number of units in a full grant of 1.

        Returns
        -------
        rounds, losses : FloatArray
            Tables with a row for each arm and a column for 0, 1, …, `units` units.
        """
        rounds, losses = np.zeros((self.arms, units + 1)), np.zeros((self.arms, units + 1))
        arms, amounts, spent, seen = self.columns()
        contained = np.minimum(np.floor((amounts + EVIDENCE_SLACK) * units).astype(np.int64), units)
        np.add.at(rounds, (arms, contained), spent)
        np.add.at(losses, (arms, contained), seen)
        return rounds, losses

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Evidence):
            return NotImplemented
        for what in ("arms", "sees", "losses"):
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
            (arm, amount, factor * rounds, factor * lost) for arm, amount, rounds, lost in self.rows
        )

    def _like(self, rows: Iterable[Any]) -> Self:
        return type(self)(self.arms, rows, sees=self.sees, losses=self.losses)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evidence) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.arms, self.sees, self.losses, self.rows))

    def __repr__(self) -> str:
        rounds = math.fsum(row.rounds for row in self.rows)
        kind = f"{self.losses} {self.sees}"
        return f"<Evidence of {self.arms} arms: {rounds:g} rounds in {len(self.rows)} rows, {kind}>"

    def to_dict(self) -> dict[str, Any]:
        """The evidence as plain lists and numbers."""
        return {
            "arms": self.arms,
            "sees": self.sees,
            "losses": self.losses,
            "rows": [list(row) for row in self.rows],
        }

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
            draft.write_text(json.dumps({"format": FORMAT, **self.to_dict()}) + "\n", encoding="utf-8")

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
        if found != FORMAT:
            raise FileError(
                f"{os.fspath(path)} has format {shown(found)}", FORMAT, what="format", value=found
            )
        try:
            return cls(**content)
        except (InputError, TypeError) as error:
            raise FileError(f"{os.fspath(path)} cannot be used: {error}") from None
