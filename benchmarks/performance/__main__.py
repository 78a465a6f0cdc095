"""Measure us and others, and write what docs/studies/performance.md and docs/how-to/scale.md show.

python benchmarks/performance [peers] [games] [growth] [starts] [cluster] [load] [--passes 7]
"""

import argparse
import importlib
import json
from pathlib import Path

from page import filled
from pictures import draw_growth, draw_peers

from allotment.plots.figures import save_figure

DOCS = Path(__file__).parents[2] / "docs"
STORED = Path("studies", "performance.json")
PAGES = (Path("studies", "performance.md"), Path("how-to", "scale.md"))
PARTS = ("peers", "games", "growth", "starts", "cluster", "load")
LEAST = 5  # passes, for a median that is worth writing down


def main():
    """Measure the parts that were asked for, all by default, and write the pages anew."""
    parser = argparse.ArgumentParser(prog="benchmarks/performance", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--passes", type=int, default=7, help=f"at least {LEAST}, unless to try it")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of the pages")
    chosen = parser.parse_args()
    stored_in = chosen.docs / STORED
    stored = json.loads(stored_in.read_text("utf-8")) if stored_in.exists() else {}
    for part in chosen.parts or PARTS:
        print(f"measuring: {part}", flush=True)
        command = f"python benchmarks/performance {part}"
        stored[part] = importlib.import_module(part).measure(chosen.passes, command)
        stored_in.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")
    for page in (chosen.docs / name for name in PAGES):
        page.write_text(filled(page.read_text("utf-8"), stored), "utf-8")
    for name, draw in (("peers", draw_peers), ("growth", draw_growth)):
        if name in stored:
            save_figure(draw(stored[name]), chosen.docs / "figures" / f"performance-{name}.svg")


if __name__ == "__main__":
    main()
