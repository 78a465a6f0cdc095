"""Absurd numbers and names on the command line."""

import shutil

from hostile.cases import Case, kind
from hostile.logs import PLACES
from hostile.schemas import makes_sense
from hostile.stores import STORE

NUMBERS = (
    "1e-400",
    "1e400",
    "1E+999999999",
    "-1",
    "0",
    "NaN",
    "inf",
    "",
    "9" * 5000,
    "--1",
    "1_0",
    "\uff12",
    "0.1",
    "=1",
    "1e-300",
    "1e300",
)


@kind("arguments", cases=70, quick=(61, 69))
def arguments(luck, work, masters):
    """Absurd numbers and names on the command line."""
    shutil.copy(masters.stores / "small.db", work / STORE)
    (work / "places.csv").write_text(PLACES)
    number, name = luck.choice(NUMBERS), luck.choice(("Dock", "Nowhere", "=x", "", "x" * 5000, "Caf\u00e9"))
    chosen = luck.choice(
        (
            ("change", STORE, "--half-life", number),
            ("change", STORE, "--severity", f"Dock={number}"),
            ("change", STORE, "--budget", number),
            ("change", STORE, "--unit", number),
            ("change", STORE, "--scale", number),
            ("change", STORE, "--most", number),
            ("change", STORE, "--threshold", f"Dock={number}"),
            ("change", STORE, "--group", f"north={number}:{number}"),
            ("tell", STORE, "--plan", "3", f"Dock={number}"),
            ("tell", STORE, "--plan", number, "Dock=1"),
            ("tell", STORE, "--plan", "3", "Dock=1", "--amount", f"Dock={number}"),
            ("tell", STORE, "--plan", "3", f"{name}=1"),
            ("cancel", STORE, number),
            ("undo", STORE, luck.choice((number, f"import-{number}", name))),
            ("places", STORE, "--csv", "--add", name, "--most", number),
            ("places", STORE, "--csv", "--rename", "Dock", name),
            (
                "new",
                "made.db",
                "--places",
                "places.csv",
                "--budget",
                number,
                "--unit",
                "1",
                "--timezone",
                "UTC",
            ),
            (
                "new",
                "made.db",
                "--places",
                "places.csv",
                "--budget",
                "3",
                "--unit",
                number,
                "--timezone",
                "UTC",
            ),
            (
                "new",
                "made.db",
                "--places",
                "places.csv",
                "--budget",
                "3",
                "--unit",
                "1",
                "--policy",
                "any-response:learner=no_mod.X",
            ),
            ("explain", STORE, number),
            ("forecast", STORE, "--rounds", number),
            ("what-if", STORE, "--budget", number),
            ("ask", STORE, "--budget", number, "--date", "2026-02-10"),
            ("ask", STORE, "--fix", f"Dock={number}", "--date", "2026-02-10"),
            ("ask", STORE, "--date", luck.choice((number, "0000-00-00", "9999-12-31", "0001-01-01"))),
        )
    )
    made = "made.db" if chosen[0] == "new" else STORE
    return Case(chosen, (made,), lambda trial: makes_sense(trial, made))
