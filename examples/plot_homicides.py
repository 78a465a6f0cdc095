"""
A map of a plan: homicides around St. Louis
===========================================

libpysal holds the homicides of 78 counties around St. Louis, with their outlines. Suppose that 60
prevention teams can be sent each month, at most six to a county. The map shows the first plan.

The log says how often something happened without teams. It cannot say what a team prevents, so the plan
follows the loss rates. The tutorial "A campaign on real data" goes through this step by step.
"""

import csv
import tempfile
from pathlib import Path

from libpysal import examples

import allotment as al

PERIODS = {"7984": ("1979-01-01", 72), "8488": ("1984-01-01", 60), "8893": ("1988-01-01", 72)}
with Path(examples.get_path("stl_hom.csv")).open() as file:
    counties = list(csv.DictReader(file))
names = [f"{county['NAME']}, {county['STATE_NAME']}" for county in counties]


def outline(well_known_text):
    """The polygon of a county as GeoJSON."""
    points = well_known_text.removeprefix("POLYGON ((").removesuffix("))").split(",")
    return {"type": "Polygon", "coordinates": [[[float(x) for x in point.split()] for point in points]]}


with tempfile.TemporaryDirectory() as folder:
    with Path(folder, "log.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["date", "place", "amount", "incidents", "exposure"])
        for name, county in zip(names, counties, strict=True):
            for period, (first, months) in PERIODS.items():
                rows.writerow([first, name, 0, county[f"HC{period}"], months])
    campaign = al.Campaign.create(
        f"{folder}/stl.db",
        "St. Louis",
        arms=names,
        budget=60,
        unit=1,
        most=6,
        losses="counts",
        shapes={name: outline(county["WKT"]) for name, county in zip(names, counties, strict=True)},
        seed=1,
    )
    campaign.import_log(f"{folder}/log.csv")
    plan = campaign.ask(date="1994-01-01")
    figure = campaign.draw_map(plan.id)
    campaign.close()
