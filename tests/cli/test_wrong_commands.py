"""What is wrong on the command line gets one sentence and exit code 2."""

import re

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("simulate", "nowhere", "-p", "csb-dt"),
            "no file or problem named 'nowhere'; expected a TOML file or one of",
        ),
        (("simulate", "paper-1", "-p", "csb"), "there is no policy named 'csb'; expected one of"),
        (("simulate", "paper-1", "-p", "csb-dt:gama=1"), "csb-dt has no parameter 'gama'"),
        (("simulate", "paper-1", "-p", "csb-dt:gamma=-1"), "gamma is -1; expected a number above 0"),
        (
            ("simulate", "paper-1", "-p", "csb-st:delta=2"),
            "delta is 2; expected a number strictly between 0 and 1",
        ),
        (("simulate", "paper-1", "-p", "csb-st:epsilon=0"), "epsilon is 0"),
        (("simulate", "paper-1", "-p", "mp-ts"), "MP-TS has no thresholds"),
        (("simulate", "paper-1", "-p", "csb-st", "--horizon", "0"), "horizon is 0"),
        (("simulate", "paper-1", "-p", "csb-st", "--seed", "-1"), "seed is -1"),
        (("simulate", "paper-1", "-p", "csb-st", "--out", "nowhere/x.npz"), "cannot write nowhere/x.npz"),
        (("simulate", "paper-1", "-p", "csb-st", "--out", "."), "cannot write .: it is a folder"),
        (
            ("simulate", "paper-1", "-p", "csb-st", "--out", "x.csv"),
            "the name of the file is 'x.csv'; expected one that ends in .npz",
        ),
        (("extend", "absent.npz", "--replications", "5"), "cannot read absent.npz"),
        (("trace", "paper-1", "-p", "csb-st", "--out", "nowhere/x.csv"), "cannot write nowhere/x.csv"),
        (("problem", "paper-3"), "no file or problem named 'paper-3'"),
        (("policies", "csb"), "there is no policy named 'csb'"),
        (("problem", "a" * 5000), "no file or problem named 'aaa"),
        (("simulate", "paper-1", "-p", "csb-st", "--out", "x" * 300), "name too long"),
        (("simulate", "paper-1", "-p", ".."), "cannot find the policy '..'"),
        (
            ("trace", "paper-1", "-p", "csb-st", "--horizon", "100000000000", "--out", "x.csv"),
            "horizon is 1000",
        ),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_bad_input_gets_one_sentence_and_exit_code_2(allotment, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    answer = allotment(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert message in answer.err
    assert answer.err.startswith("allotment: ")
    assert answer.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text", ["loss_rates = [", "loss_rates = [0.5]\nthresholds = 2\nbudget = 1\n", "x = 1\n"]
)
def test_a_broken_problem_file_gets_one_sentence(allotment, tmp_path, text):
    path = tmp_path / "broken.toml"
    path.write_text(text)
    answer = allotment("problem", path)
    assert answer.code == 2
    assert "broken.toml" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "paper-1"), "missing option '--policy' / '-p'; see `allotment simulate --help`"),
        (("nonsense",), "no such command 'nonsense'; see `allotment --help`"),
        (("simulate", "--nothing"), "no such option: --nothing; see `allotment simulate --help`"),
        (("simulate", "paper-1", "--horizon", "x"), "invalid value .*'x'.* integer.*; see .*"),
    ],
)
def test_a_wrong_command_line_gets_one_sentence_and_exit_code_2(allotment, arguments, sentence):
    answer = allotment(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert re.fullmatch(f"allotment: {sentence}\n", answer.err)


def test_no_command_at_all_is_answered_with_help(allotment):
    answer = allotment()
    assert answer.code == 2
    assert "simulate" in answer.err


def test_a_sentence_shows_no_control_characters_of_a_file_and_fits_a_screen(allotment, tmp_path):
    places = tmp_path / "places.csv"
    for heading, shown in (("na\x1b[31mme", "na\ufffd[31mme"), ("n" * 5000, "nnn")):
        places.write_text(f"{heading},most\nDock,1\n")
        answer = allotment("new", tmp_path / "n.db", "--places", places, "--budget", 1, "--unit", 1)
        assert (answer.code, answer.err.count("\n")) == (2, 1)
        assert shown in answer.err
        assert len(answer.err) < 1600
        assert answer.err.strip().isprintable()


def test_a_device_is_not_read_without_end(allotment):
    answer = allotment("problem", "/dev/zero")
    assert (answer.code, answer.err) == (2, "allotment: cannot read /dev/zero: it is not an ordinary file\n")
