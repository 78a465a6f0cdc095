import pytest

from allotment import Clairvoyant, CsbDt, CsbSt, CsbUcb, Cts, InputError, MpTs, Problem
from allotment.policies.base.catalogue import describe, find_policy, restore
from allotment.policies.base.policy_texts import parse

PROBLEM = Problem.named("paper-2")


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("csb-st", CsbSt()),
        ("csb-dt:gamma=1e-4,delta=0.05", CsbDt(gamma=1e-4, delta=0.05)),
        ("csb-dt:delta=1/T", CsbDt(delta="1/T")),
        (
            "csb-dt: learner=cts(solve_every=20,scale=10000) , gamma=0.01",
            CsbDt(gamma=0.01, learner=Cts(None, 20, 10_000)),
        ),
        ("csb-dt:learner=csb-ucb", CsbDt(learner=CsbUcb())),
        ("csb-st:label=mine", CsbSt(label="mine")),
        ("clairvoyant", Clairvoyant(PROBLEM)),
        ("cts:thresholds=known", Cts(thresholds=PROBLEM.thresholds)),
        ("cts:thresholds=0.7/0.7/0.7/0.6/0.35", Cts(thresholds=PROBLEM.thresholds)),
        ("mp-ts:thresholds=known", MpTs(thresholds=0.7)),
        ("mp-ts:thresholds=0.5", MpTs(thresholds=0.5)),
        ("cts:thresholds=none,scale=100,truncate=true", Cts(scale=100, truncate=True)),
    ],
)
def test_text_becomes_a_policy(text, policy):
    assert parse(text, PROBLEM) == policy
    assert restore(describe(policy)) == policy


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("csb-td", "there is no policy named 'csb-td'; expected one of .*csb-dt"),
        ("", "there is no policy named ''"),
        ("csb-dt:", "ends with a colon; expected parameters after it"),
        ("csb-dt:gama=1", "csb-dt has no parameter 'gama'; expected one of .*gamma"),
        ("csb-dt:gamma", "has 'gamma'; expected name=value"),
        ("csb-dt:gamma=1,gamma=2", "gives gamma twice"),
        ("csb-dt:gamma=small", "gamma is 'small'; expected a number above 0"),
        ("csb-dt:learner=nobody", "there is no policy named 'nobody'"),
        ("nowhere.Policy", "cannot find the policy 'nowhere.Policy'"),
        ("math.pi", "'math.pi' is not a policy"),
        ("allotment.Nobody", "cannot find the policy"),
        ("..", "cannot find the policy"),
        ("csb-dt:learner=cts(", "expected as many closing as opening brackets"),
        ("csb-dt:gamma=1" + "0" * 400, "gamma is .*; expected a number above 0"),
        ("cts:solve_every=" + "9" * 30, "solve_every is 9"),
        ("allotment.policies._known_thresholds.Combinatorial:thresholds=known", "cannot make"),
    ],
)
def test_bad_text_is_named(text, message):
    with pytest.raises(InputError, match=message):
        parse(text, PROBLEM, find_policy)


def test_a_needed_parameter_that_is_missing_is_named():
    with pytest.raises(InputError, match="cannot make clairvoyant: .*problem"):
        parse("clairvoyant")


EVIL = "import pathlib\npathlib.Path('ran').touch()\n"


@pytest.mark.parametrize(
    "text", ["evil_mod.X", "csb-dt:learner=evil_mod.X", "csb-dt:learner=evil_mod.X(a=1)"]
)
def test_text_imports_nothing_unless_the_user_named_it(text, tmp_path, monkeypatch):
    (tmp_path / "evil_mod.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        InputError, match="code from outside the package, in the module evil_mod; expected .*--trust"
    ):
        parse(text, PROBLEM)
    with pytest.raises(InputError, match="any-response has no parameter 'learner'"):
        parse("any-response:learner=evil_mod.X", PROBLEM, find_policy)
    assert not (tmp_path / "ran").exists()
