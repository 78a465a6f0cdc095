"""Single lines that someone might forget, or add unthinkingly: the tests named for them notice each one.

Each mutation changes a copy of the sources. `make soak` prints what noticed it, and in how many seconds.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from own_copies import own_copy

ROOT = Path(__file__).parents[1]
SECONDS = 60  # for the tests of one mutation
# What is forgotten, and the tests that should notice it.
SPECIFIED, EVERY = "campaign/settings/test_specification.py", "web/test_every_setting.py"
SETTINGS = (
    *(
        SPECIFIED,
        f"{EVERY}::test_a_setting_has_its_options",
        f"{EVERY}::test_a_planner_may_send_what_create_takes",
    ),
    *(f"{EVERY}::test_a_setting_goes_all_ways_{where}" for where in ("in_a_file", "on_a_server")),
)
COMMANDS = (
    f"{EVERY}::test_a_command_changes_a_setting",
    f"{EVERY}::test_a_new_campaign_has_what_options_say",
)
NOTES = ("campaign/sheets/test_sheets.py::test_the_note_is_that_of_now_and_changes_no_plan",)
SINCE = ("campaign/history/test_last_losses.py",)
FORMS = (f"{EVERY}::test_a_form_changes_a_setting",)
PLACES = (
    *(SPECIFIED, f"{EVERY}::test_there_is_a_sample_of_every_setting_of_a_place"),
    *(f"{EVERY}::test_a_place_goes_all_ways", f"{EVERY}::test_texts_name_the_columns_of_a_table_of_places"),
)
KINDS = ("campaign/history/test_kinds.py",)
VISIBLE = "web/test_visibility.py::test"
SEEN = (
    "campaign/access/test_sight.py",
    f"{VISIBLE}_the_answer_of_a_control_round_is_kept_for_each_role",
    f"{VISIBLE}_recorders_are_shown_what_is_allowed_and_nothing_else",
    f"{VISIBLE}_recorders_see_the_note_of_the_duty_sheet",
    f"{VISIBLE}_a_recorder_of_a_group_hears_of_its_places_only",
)
WRITTEN = ("web/test_schemas.py",)
CLIENT = ("test_client.py",)
READ = ("web/test_reads_of_a_request.py",)
SAID = ("web/test_sentences_on_pages.py",)
SPECIFICATION, KINDS_FILE = "campaign/settings/specification.py", "campaign/history/kinds.py"
BODIES, OPTIONS = "web/api/bodies.py", "cli/campaigns/setting_options.py"
KEPT, SIGHT = "campaign/settings/settings.py", "campaign/access/sight.py"
ANSWERS, SCHEMAS, DATA = "web/api/answers.py", "web/api/schemas.py", "campaign/forms/answer.py"
REMOTE, PLACE_FORMS = "client/remote_campaign.py", "web/pages/places/forms.py"
ARM_TABLE, COLUMNS = "campaign/logs/arm_table.py", "campaign/logs/log_format.py"
# The tests, the file, what stands there, and what is left of it.
MUTATIONS = [
    (SETTINGS, BODIES, "for each in CHANGEABLE}", 'for each in CHANGEABLE if each.name != "day_starts"}'),
    (SETTINGS, BODIES, "each.default) for each in SETTINGS}", "each.default) for each in SETTINGS[:-4]}"),
    (COMMANDS, OPTIONS, "for about in CHANGEABLE:\n", "for about in CHANGEABLE[:-1]:\n"),
    (COMMANDS, OPTIONS, "    for about in SETTINGS:\n", "    for about in SETTINGS[:-1]:\n"),
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
    (NOTES, KINDS_FILE, ' if BY_NAME[name].of_plans]', "]"),
    (NOTES, "campaign/planning/plan.py", ', "note": state.settings.note}', "}"),
    (NOTES, "campaign/sheets/duty_sheet.py", "        note=plan.note,\n", ""),
    (SEEN, SIGHT, 'made_for note"', 'made_for"'),
    (SINCE, "campaign/history/plan_records.py", '"last_told", "lost")', '"last_told")'),
    (SINCE, "campaign/history/last_losses.py", "if each.live]", "]"),
    (FORMS, "web/pages/settings/situation_forms.py", 'calendar |= {"default"', 'calendar = {"defaults"'),
    (FORMS, "web/pages/settings/control_forms.py", '{"share": typed.share, ', '{'),
    (KINDS, KINDS_FILE, "    since = 3\n", ""),
    (KINDS, KINDS_FILE, ', "find_variances": 5', ""),
    (KINDS, KINDS_FILE, '"control": 4, ', ""),
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
    (KINDS, KINDS_FILE, "    since = 7\n", ""),
    (KINDS, KINDS_FILE, 'return names.stored_day("date", payload["date"])', "return None"),
    (PLACES, SPECIFICATION, '        of_arm="group",\n', ""),
    (PLACES, SPECIFICATION, "OF_ARMS.items() if each.place}", "[*OF_ARMS.items()][1:] if each.place}"),
    (PLACES, "campaign/settings/changes.py", "if given[name] is not None or", "if name != 'crew' or"),
    (PLACES, "campaign/campaign.py", "if each in OF_ARMS}", "if each in OF_ARMS and each != 'shape'}"),
    (PLACES, BODIES, "for name, each in OF_ARMS.items()}", "for name, each in [*OF_ARMS.items()][1:]}"),
    (PLACES, OPTIONS, "if about.place is None else", "if about.name in (None, 'crew') else"),
    (PLACES, ARM_TABLE, "for column in OF_ONE_PLACE:", "for column in [*OF_ONE_PLACE][:-1]:"),
    (PLACES, COLUMNS, "in OF_ONE_PLACE.items()}", "in [*OF_ONE_PLACE.items()][1:]}"),
    (PLACES, PLACE_FORMS, "in OF_ONE_PLACE.items()}", "in [*OF_ONE_PLACE.items()][:-1]}"),
    (PLACES, PLACE_FORMS, "for field in OF_ONE_PLACE:", "for field in [*OF_ONE_PLACE][1:]:"),
    (PLACES, "campaign/settings/arms.py", "for name in OF_ONE_PLACE}", "for name in [*OF_ONE_PLACE][1:]}"),
    (PLACES, "web/pages/campaigns/new.html", "if wanted least, crew, ", "if wanted least, "),
    (KINDS, KINDS_FILE, '        return (payload["arm"],)\n', "        return ()\n"),
    (KINDS, KINDS_FILE, "max(self.since, *parts, *attributes, ", "max(self.since, *parts, "),
    (SEEN, SIGHT, 'made_for note"', 'made_for note control"'),
    (SEEN, SIGHT, 'made_for note"', 'made_for note beside"'),
    (SEEN, SIGHT, 'all_places="orders"', 'all_places="orders calm"'),
    (SEEN, SIGHT, '"amounts told', '"amounts spare told'),
    (SEEN, SIGHT, "= _hidden(kind, name)", "= value"),
    (SEEN, SIGHT, "amounts told told_amounts", "told told_amounts"),
    (SEEN, SIGHT, "in allowed.of_all_places and self.group is None", "in allowed.of_all_places"),
    (SEEN, SIGHT, ", group=rights.group)", ")"),
    (SEEN, SIGHT, 'raise NotAllowedError("a recorder may not see this", what="role")', "return answer"),
    (SEEN, ANSWERS, "call.route, call.sight,", "call.route,"),
    (SEEN, ANSWERS, "json_of(call.seen(found))", "json_of(found)"),
    (SEEN, "web/api/plans.py", "call.sight.places(untold, call.campaign.settings)", "untold"),
    (SEEN, "web/pages/report/view.py", "seen_by(rights).of(report, settings)\n", "report\n"),
    (WRITTEN, "campaign/answers/track_record.py", 'computed: ClassVar = ("inside",)\n', "\n"),
    (WRITTEN, DATA, "each.name for each in fields(kind))", "each.name for each in fields(kind)[1:])"),
    (WRITTEN, DATA, "return value.isoformat()", "return value.toordinal()"),
    (WRITTEN, SCHEMAS, 'in computed_types(schema["cls"]).items()', "in ()"),
    (WRITTEN, SCHEMAS, 'return self._object(schema["fields"])', "return super().named_tuple_schema(schema)"),
    (CLIENT, REMOTE, "overwrite: bool = False, redacted: bool = False)", "overwrite: bool = False)"),
    (SAID, "web/pages/record/view.py", "about(said, FIRST)[0]", "said[0]"),
    (SAID, "web/pages/import_log/view.py", "besides(report.what_it_takes(), READ)", "report.what_it_takes()"),
    (READ, "campaign/campaign.py", "if number not in known]", "]"),
]  # fmt: skip
SPENT: dict[str, float] = {}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of the package, which is imported instead of the package. At the end, a table of seconds."""
    yield own_copy(ROOT / "src" / "allotment", tmp_path_factory.mktemp("sources") / "allotment")
    print(
        f"\n{len(SPENT)} runs, in seconds:",
        *(f"{each:6.1f}  {name}" for name, each in SPENT.items()),
        sep="\n",
    )


def outcome(sources, files, seconds):
    """Run tests with a copy of the package, up to the first failure."""
    environment = {**os.environ, "PYTHONPATH": str(sources.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    named = [f"tests/{each}" for each in files]
    command = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *named)
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.mark.soak
@pytest.mark.parametrize("files", dict.fromkeys(each[0] for each in MUTATIONS), ids=lambda each: each[-1])
def test_the_copy_passes_as_it_is(sources, files):
    done = outcome(sources, files, seconds=10 * SECONDS)  # it also compiles what the mutations need
    assert done.returncode == 0, done.stdout


@pytest.mark.soak
@pytest.mark.parametrize(
    ("files", "path", "line", "left"), MUTATIONS, ids=[f"{m[1]}: {m[2]} -> {m[3]}" for m in MUTATIONS]
)
def test_a_forgotten_line_is_noticed(sources, files, path, line, left, request):
    file = sources / path
    whole = file.read_text("utf-8")
    file.write_text(whole.replace(line, left), "utf-8")
    began = time.monotonic()
    try:
        done = outcome(sources, files, SECONDS)
    finally:
        file.write_text(whole, "utf-8")
    SPENT[request.node.name] = time.monotonic() - began
    assert done.returncode == 1 and " failed" in done.stdout, done.stdout


def test_each_line_that_may_be_forgotten_is_there():
    for _, path, line, left in MUTATIONS:
        assert (ROOT / "src" / "allotment" / path).read_text("utf-8").count(line) == 1, (path, line)
        assert line != left
