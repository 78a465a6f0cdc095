"""The pictures of docs/studies/performance.md, drawn from stored numbers."""

from matplotlib import rc_context
from matplotlib.figure import Figure

from allotment.plots.figures import COLOURS, MARKERS, STYLE, WIDTH


def draw_peers(stored):
    """How many times as long as we others take: bars, the shortest first."""
    rows = sorted((row for row in stored["rows"] if "times" in row), key=lambda row: row["times"])
    names, times = [row["name"].replace(", ", ",\n") for row in rows], [row["times"] for row in rows]
    with rc_context(STYLE):
        figure = Figure(figsize=(1.6 * WIDTH, 0.42 * len(rows) + 0.9), layout="constrained")
        axes = figure.add_subplot()
        axes.barh(names, times, color=[COLOURS[0], *["0.65"] * (len(rows) - 1)], height=0.62)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(0.7, 3 * max(times))
        axes.set_xlabel("time for a round, times ours (logarithmic)")
        axes.grid(axis="y", visible=False)
        for place, number in enumerate(times):
            axes.annotate(
                f"{number:.3g}", (number, place), xytext=(4, 0), textcoords="offset points", va="center"
            )
    return figure


def draw_growth(stored):
    """Cost over size, both logarithmic: one panel for each thing that grows."""
    kinds = list(dict.fromkeys(each["grows"] for each in stored["series"]))
    with rc_context(STYLE):
        figure = Figure(figsize=(2.4 * WIDTH, 1.3 * WIDTH), layout="constrained")
        for place, kind in enumerate(kinds):
            axes = figure.add_subplot(2, -(-len(kinds) // 2), place + 1)
            for k, each in enumerate(one for one in stored["series"] if one["grows"] == kind):
                look = {"color": COLOURS[k], "marker": MARKERS[k], "label": each["who"]}
                axes.plot(each["sizes"], each["seconds"], **look)
                first, last = each["sizes"][0], each["sizes"][-1]
                axes.plot(
                    [first, last],
                    [each["seconds"][0], each["seconds"][0] * last / first],
                    color=COLOURS[k],
                    linestyle=":",
                    linewidth=0.9,
                )
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel(kind)
            axes.set_ylabel(f"seconds, {each['measured']}")
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    return figure
