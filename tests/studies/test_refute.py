"""The study of Refute, with few runs: its tables and its figure."""

from studies.refute import study
from studies.refute.told import told


def test_tables_and_a_figure(monkeypatch, tmp_path):
    few = {"8 arms": study.KINDS["8 arms, multiples of 0.01"][:2]}
    monkeypatch.setattr(study, "KINDS", few)
    monkeypatch.setattr(study, "SMALL", {"3 arms": study.SMALL["3 arms"]})
    monkeypatch.setattr(study, "PROBLEMS", 2)
    monkeypatch.setattr(study, "DECADES", [100, 1000])
    monkeypatch.setattr(study, "SHORT", 200)
    monkeypatch.setattr(study, "LONG", 400)
    monkeypatch.setattr(study, "FIGURE", tmp_path / "figures" / "slope.svg")
    parts = list(study.report(8, workers=1))
    assert [row.split(" | ")[0] for row in parts[1].splitlines()[2:]] == ["| kl", "| hoeffding", "| draws"]
    assert len([row for row in parts[3].splitlines() if row.startswith("| 3 arms | 1")]) == 2
    assert sum("8 arms" in part for part in parts) == 2  # the short and the long table
    assert study.FIGURE.read_text("utf-8").startswith("<?xml")


def test_told_thresholds_refute_has_nothing_to_climb():
    from allotment import Refute, simulate

    problem = study.SMALL["3 arms"]
    for bound in ("kl", "hoeffding", "draws"):
        policies = [Refute(bound=bound, label="Refute"), told(problem, bound)]
        result = simulate(problem, policies, horizon=2000, replications=40, seed=1)
        assert result.compare("Refute", "told").low[-1] > 0.0
