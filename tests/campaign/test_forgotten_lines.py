"""Single lines and fields that someone might forget: the tests of the specification notice each of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from own_copies import own_copy

ROOT = Path(__file__).parents[2]
SECONDS = 60  # for the tests of one mutation
SETTINGS = ("tests/campaign/settings/test_specification.py", "tests/web/test_every_setting.py")
KINDS = ("tests/campaign/history/test_kinds.py",)
SPECIFICATION, KINDS_FILE = "campaign/settings/specification.py", "campaign/history/kinds.py"
BODIES, OPTIONS = "web/api/bodies.py", "cli/campaigns/setting_options.py"
KEPT = "campaign/settings/settings.py"
# The tests that should notice it, the file, what stands there, and what is left of it.
MUTATIONS = [
    (SETTINGS, BODIES, "for each in CHANGEABLE}", 'for each in CHANGEABLE if each.name != "day_starts"}'),
    (SETTINGS, BODIES, "_to_begin(each) for each in SETTINGS}", "_to_begin(each) for each in SETTINGS[:-4]}"),
    (SETTINGS, OPTIONS, "for about in CHANGEABLE:\n", "for about in CHANGEABLE[:-1]:\n"),
    (SETTINGS, OPTIONS, "    for about in SETTINGS:\n", "    for about in SETTINGS[:-1]:\n"),
    (SETTINGS, OPTIONS, "for about in SETTINGS for each", "for about in SETTINGS[1:] for each"),
    (SETTINGS, KEPT, "if stored is not None or", "if name != 'moves' and stored is not None or"),
    (SETTINGS, KEPT, "items() if name in content", "items() if name in content and name != 'control'"),
    (SETTINGS, "campaign/campaign.py", "        crew: Any = None,\n        moves: Any", "        moves: Any"),
    (SETTINGS, "campaign/settings/changes.py", "in sorted(change,", "in sorted([*change][1:],"),
    (SETTINGS, SPECIFICATION, "    half_life: Any\n", ""),
    (SETTINGS, SPECIFICATION, "        since=4,\n", "        since=3,\n"),
    (SETTINGS, SPECIFICATION, "        meaning=sentences.moves,\n", ""),
    (SETTINGS, SPECIFICATION, "        words=lambda settings: settings.day_starts,\n", ""),
    (SETTINGS, SPECIFICATION, "Needed,\n        above=True,\n        rereads=True,\n", "Needed,\n"),
    (SETTINGS, SPECIFICATION, "        since=4,\n        of_usual_plans=False,\n", "        since=4,\n"),
    (SETTINGS, "web/pages/settings/settings.html", "in view.fields %}", "in view.fields[1:] %}"),
    (SETTINGS, "web/pages/settings/forms.py", "form.text(name) for name in shown}", '"1" for name in shown}'),
    (SETTINGS, "campaign/answers/event_words.py", '"seed", "state",', '"seed", "state", "moves",'),
    (KINDS, KINDS_FILE, "    since = 3\n", ""),
    (KINDS, KINDS_FILE, '{"situation": 3, "control": 4}', '{"situation": 3}'),
    (KINDS, KINDS_FILE, '    parts_since: ClassVar = {"situations": 3}\n', ""),
    (KINDS, KINDS_FILE, "Draft(kind, payload, KINDS[kind].version(payload))", "Draft(kind, payload)"),
    (KINDS, KINDS_FILE, "max(super().version(payload), *since, ", "max(super().version(payload), "),
    (KINDS, KINDS_FILE, "Cancelled(), Closed(), ", "Cancelled(), "),
    (KINDS, KINDS_FILE, '("plan", "losses", "amounts", "correct")', '("plan", "losses", "amounts")'),
    (KINDS, KINDS_FILE, 'for part in ("losses", "amounts") for name', 'for part in ("amounts",) for name'),
    (KINDS, KINDS_FILE, 'if each)\n', "if not each)\n"),
    (KINDS, KINDS_FILE, "        plan.closed = number\n", "        pass\n"),
    (KINDS, KINDS_FILE, "{payload.get('what', REPORT)} undone", "undone"),
    (KINDS, "campaign/history/state.py", "if event.version > VERSION:", "if event.version > 99:"),
]  # fmt: skip


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the package, which is imported instead of the package."""
    return own_copy(ROOT / "src" / "allotment", tmp_path_factory.mktemp("sources") / "allotment")


def outcome(sources, files, seconds=SECONDS):
    """Run test files with a copy of the package, up to the first failure."""
    environment = {**os.environ, "PYTHONPATH": str(sources.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files)
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.mark.soak
@pytest.mark.parametrize("files", [SETTINGS, KINDS], ids=["settings", "kinds"])
def test_the_copy_passes_as_it_is(sources, files):
    done = outcome(sources, files, seconds=10 * SECONDS)
    assert done.returncode == 0, done.stdout


@pytest.mark.soak
@pytest.mark.parametrize(
    ("files", "path", "line", "left"), MUTATIONS, ids=[f"{m[1]}: {m[2]}" for m in MUTATIONS]
)
def test_a_forgotten_line_is_noticed(sources, files, path, line, left):
    file = sources / path
    whole = file.read_text("utf-8")
    assert whole.count(line) == 1, f"{path} has {whole.count(line)} times {line!r}"
    file.write_text(whole.replace(line, left), "utf-8")
    try:
        done = outcome(sources, files)
    finally:
        file.write_text(whole, "utf-8")
    assert done.returncode == 1, done.stdout


def test_each_line_that_may_be_forgotten_is_there():
    for _, path, line, left in MUTATIONS:
        assert (ROOT / "src" / "allotment" / path).read_text("utf-8").count(line) == 1, (path, line)
        assert line != left
