"""Lines that someone forgets, or adds unthinkingly, are noticed by the test files that are named for them.

Each mutation changes a copy of the sources: what recorders see, what is kept for whom, and what becomes JSON.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import allotment
from running import PATIENCE_SECONDS

SOURCES, TESTS = Path(allotment.__file__).parents[1], Path(__file__).parents[1]
SIGHT = "campaign/access/sight.py"
PLAN = "campaign/planning/plan.py"
ANSWERS, SCHEMAS = "web/api/answers.py", "web/api/schemas.py"
DATA = "campaign/forms/answer.py"
SEEN = ("campaign/access/test_sight.py", "web/test_visibility.py")
WRITTEN = ("web/test_answers_as_json.py",)


class Mutation(NamedTuple):
    """Changes of files, each a text and what stands there instead, and the tests that notice."""

    edits: tuple[tuple[str, str, str], ...]
    noticed_by: tuple[str, ...]


def one(file, old, new, noticed_by):
    return Mutation(((file, old, new),), noticed_by)


MUTATIONS = {
    "control rounds are allowed": one(SIGHT, 'situation made_for"', 'situation made_for control"', SEEN),
    "simpler plans are allowed": one(SIGHT, 'situation made_for"', 'situation made_for beside"', SEEN),
    "a new field of the plan is allowed unthinkingly": Mutation(
        (
            (
                PLAN,
                "    made_for: str | None = None\n",
                '    made_for: str | None = None\n    lot: str = "x"\n',
            ),
            (SIGHT, 'situation made_for"', 'situation made_for lot"'),
        ),
        SEEN,
    ),
    "a hidden field is shown": one(SIGHT, "= _hidden(kind, name)", "= value", SEEN),
    "other groups' amounts are shown": one(SIGHT, "spare told told_amounts", "spare told", SEEN),
    "orders are shown to groups": one(
        SIGHT, "in allowed.of_all_places and self.group is None", "in allowed.of_all_places", SEEN
    ),
    "a recorder's group is forgotten": one(SIGHT, ", group=rights.group)", ")", SEEN),
    "plain data of new routes are shown": one(
        SIGHT, 'raise NotAllowedError("a recorder may not see this", what="role")', "return answer", SEEN
    ),
    "the key of what is kept leaves out who sees it": one(
        ANSWERS, "call.route, call.sight,", "call.route,", SEEN
    ),
    "an answer is kept whole": one(ANSWERS, "json_of(call.seen(compute()))", "json_of(compute())", SEEN),
    "places of others are still to be reported": one(
        "web/api/plans.py", "call.sight.places(untold, call.campaign.settings)", "untold", SEEN
    ),
    "the page Report shows other groups": one(
        "web/pages/report/view.py", "seen_by(rights).of(report, settings)\n", "report\n", SEEN
    ),
    "what is computed is left out": one(
        "campaign/answers/track_record.py", 'computed: ClassVar = ("inside",)\n', "\n", WRITTEN
    ),
    "a field is left out of JSON": one(
        DATA,
        "    return tuple(each.name for each in fields(kind))",
        "    return tuple(each.name for each in fields(kind))[1:]",
        WRITTEN,
    ),
    "dates are no longer texts": one(DATA, "return value.isoformat()", "return value.toordinal()", WRITTEN),
    "the description leaves out what is computed": one(
        SCHEMAS, 'in computed_types(schema["cls"]).items()', "in ()", WRITTEN
    ),
    "the description says that named tuples are lists": one(
        SCHEMAS, 'return self._object(schema["fields"])', "return super().named_tuple_schema(schema)", WRITTEN
    ),
    "a method of the client lacks an option": one(
        "client/remote_campaign.py",
        "overwrite: bool = False, redacted: bool = False)",
        "overwrite: bool = False)",
        ("test_client.py",),
    ),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", MUTATIONS)
def test_it_is_noticed(name, tmp_path):
    shutil.copytree(
        SOURCES / "allotment", tmp_path / "allotment", ignore=shutil.ignore_patterns("__pycache__")
    )
    for file, old, new in MUTATIONS[name].edits:
        path = tmp_path / "allotment" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has not one {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *MUTATIONS[name].noticed_by],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert run.returncode == 1 and " failed" in run.stdout, run.stdout[-2000:]


def test_each_line_is_where_the_mutation_looks_for_it():
    for mutation in MUTATIONS.values():
        for file, old, _ in mutation.edits:
            assert (SOURCES / "allotment" / file).read_text(encoding="utf-8").count(old) == 1, (file, old)
