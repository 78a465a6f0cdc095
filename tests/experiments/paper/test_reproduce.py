import csv
import json
import re
from html.parser import HTMLParser

import pytest

from allotment import FileError, InputError
from allotment.experiments.paper.report import reproduce

VOID = {"meta", "img"}
OPTIONAL_END = {"td", "th", "li"}


class Checker(HTMLParser):
    """Collects what a page refers to, and checks that its elements are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.references = [], []

    def handle_starttag(self, tag, attributes):
        self.references += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID | OPTIONAL_END:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction") / "new"
    kinds = ["svg", "png", "pdf"]
    return reproduce(["fig3"], folder, replications=3, seed=5, formats=kinds, progress=False), folder


def test_every_figure_has_pictures_and_numbers(made):
    _, folder = made
    pictures = {
        f"fig3-{setting}.{kind}"
        for setting in ("printed", "published")
        for kind in ("png", "svg", "pdf", "csv")
    }
    assert {path.name for path in folder.iterdir()} == pictures | {"report.html", "summary.json"}
    rows = list(csv.DictReader((folder / "fig3-printed.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 4 * 250
    assert rows[-1]["curve"] == "CSB-DT-UCB"
    assert float(rows[-1]["mean"]) == pytest.approx(made[0].rows[3].mean, abs=1e-3)
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)


def test_only_what_was_asked_for_is_drawn(tmp_path):
    for formats in ((), ("pdf",)):
        folder = tmp_path / "-".join(["in", *formats])
        made = reproduce(
            ["fig3"], folder, replications=2, seed=5, setting="published", formats=formats, progress=False
        )
        kinds = {path.suffix for path in folder.iterdir()} - {".csv", ".html", ".json"}
        assert kinds == {f".{kind}" for kind in formats}
        assert len(made.rows) == 2


def test_the_summary_says_how_it_was_made(made):
    reproduction, folder = made
    content = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert (content["replications"], content["seed"], len(content["curves"])) == (3, 5, 6)
    assert content == reproduction.to_dict()


def test_the_report_needs_nothing_else_and_says_everything(made):
    reproduction, folder = made
    page = (folder / "report.html").read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(checker.references) == 3
    assert all(each.startswith("data:image/svg+xml;base64,") for each in checker.references)
    for row in reproduction.rows:
        assert f"{row.mean:.1f} ± {row.high - row.mean:.1f}" in page
    for said in ("hopeless", "<td>278", "<td>380", "Seed<td>5", "NumPy", "solve_every=20", "gamma=0.0001"):
        assert said in page
    assert re.search(r"\d+\.\d s for the simulations", page)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"figures": ["fig9"]}, "figure is 'fig9'"),
        ({"setting": "mine"}, "setting is 'mine'; expected one of printed, published, both"),
        ({"replications": 0}, "replications is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"formats": ["gif"]}, "format is 'gif'; expected one of png, svg, pdf"),
    ],
)
def test_bad_arguments_are_refused_and_nothing_is_written(arguments, message, tmp_path):
    with pytest.raises(InputError, match=message):
        reproduce(**{"out": tmp_path, "progress": False} | arguments)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_noticed_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot make the folder"):
        reproduce(out=tmp_path / "file", replications=10**9)
