import re


def test_reproduce_shows_every_line_and_writes_the_report(allotment, tmp_path):
    out = tmp_path / "figures"
    published = ("fig3", "--setting", "published", "--replications", 2, "--format", "png")
    answer = allotment("reproduce", *published, "--out", out)
    assert (answer.code, answer.err) == (0, "")
    assert re.search(r"fig3\s+published\s+CSB-DT-UCB\s+\d+\.\d\s+-?\d+\.\d to \d+\.\d\s+380", answer.out)
    assert answer.out.rstrip().endswith(f"See {out / 'report.html'}.")
    assert (out / "report.html").exists()
    assert (out / "fig3-published.png").exists()
    assert not (out / "fig3-published.svg").exists()


def test_reproduce_refuses_what_it_does_not_know(allotment, tmp_path):
    answer = allotment("reproduce", "fig7", "--out", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "allotment: figure is 'fig7'; expected one of fig1, fig2, fig3, fig4\n"
    assert not list(tmp_path.iterdir())
