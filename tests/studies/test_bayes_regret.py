"""The study of Bayesian regret: one small size, from worlds to the table and the figure."""

from studies.bayes_regret import study


def test_a_row_for_each_horizon_and_a_figure(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "SIZES", (study._joint(2, 1.0, 0.5),))
    monkeypatch.setattr(study, "FIGURE", tmp_path / "build" / "regret.svg")
    parts = list(study.report(worlds=3, workers=1))
    rows = parts[2].splitlines()
    assert [row.split(" | ")[1] for row in rows] == ["100", "1,000", "10,000"]
    for row in rows:
        plain, kept, bound, largest = (cell.split(" (")[0] for cell in row.strip("| ").split(" | ")[2:])
        assert 0.0 < float(plain) < float(bound) <= float(largest)
        assert float(kept) > 0.0
    assert study.FIGURE.read_text("utf-8").startswith("<?xml")


def test_both_rules_meet_the_same_world():
    size = study._joint(2, 1.0, 0.5)
    first, second = size.regrets(5), size.regrets(5)
    assert {name: path.tolist() for name, path in first.items()} == {
        name: path.tolist() for name, path in second.items()
    }
