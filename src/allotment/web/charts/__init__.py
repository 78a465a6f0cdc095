"""Charts and maps as SVG, drawn on the server from the plain data that `plots/` takes.

Each chart is a function from data to markup. `svg.py` writes elements and escapes what is in them; looks are
classes in `static/style/60-charts.css`, because a page allows no style attribute. A page shows the table of
the same numbers beside each chart.

- `bars.py`: a few numbers side by side.
- `bands.py`: lines with bands and dots (`plots.bands.BandPanel`): response curves, frontiers, forecasts.
- `comparisons.py`: what was expected, with its band, beside what happened (`plots.comparisons`).
- `outlines.py`: a map of outlines and points (`plots.outlines` takes the same).
"""
