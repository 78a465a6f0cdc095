import re


def test_reproduce_shows_every_curve_and_writes_the_report(allotment, tmp_path):
    out = tmp_path / "figures"
    answer = allotment("reproduce", "fig3", "--setting", "published", "--replications", 2, "--out", out)
    assert (answer.code, answer.err) == (0, "")
    assert re.search(r"fig3\s+published\s+CSB-DT-UCB\s+\d+\.\d\s+-?\d+\.\d to \d+\.\d\s+380", answer.out)
    assert answer.out.rstrip().endswith(f"See {out / 'report.html'}.")
    assert (out / "report.html").exists()
    assert (out / "fig3-published.png").exists()


def test_reproduce_refuses_what_it_does_not_know(allotment, tmp_path):
    answer = allotment("reproduce", "fig7", "--out", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert (
        answer.err
        == "allotment: figure is 'fig7'; expected one of fig1, fig2, fig3, fig4, joint, any-response\n"
    )
    assert not list(tmp_path.iterdir())


def test_the_study_stands_alone_and_is_asked_for_something(allotment, tmp_path):
    answer = allotment("reproduce", "fig1", "joint", "--out", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "allotment: figures are fig1, joint; expected joint alone, or figures only\n"
    answer = allotment("reproduce", "joint", "--replications", 0)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "allotment: replications is 0; expected a whole number of at least 1\n"
    answer = allotment("reproduce", "joint", "--replications", 1, "--workers", 0)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("allotment: workers is 0; expected")
