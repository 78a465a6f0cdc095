"""What README and CONTRIBUTING promise of `make` is there, and CI runs what CONTRIBUTING says."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAKEFILE, README, CONTRIBUTING, CI = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("Makefile", "README.md", "CONTRIBUTING.md", ".ci/run")
)
CALL = re.compile(r"\bmake ([a-z-]+)")


def test_every_target_that_pages_name_exists():
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    for page in (README, CONTRIBUTING):
        named = {*CALL.findall("\n".join(re.findall(r"`[^`]+`|^make .*$", page, re.MULTILINE)))}
        assert named and named <= targets


def test_contributing_says_what_ci_runs():
    (said,) = re.findall(r"^CI runs `.ci/run`: (.*?)\.\s", CONTRIBUTING, re.MULTILINE)
    assert CALL.findall(said) == CALL.findall(CI) == ["lint", "test", "docs", "dist"]
