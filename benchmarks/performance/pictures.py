"""The pictures of docs/performance.md, drawn from stored numbers."""

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
                label = f"{each['who']}, {each['measured']}"
                axes.plot(each["sizes"], each["seconds"], color=COLOURS[k], marker=MARKERS[k], label=label)
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
            axes.set_ylabel("seconds")
            low, high = axes.get_ylim()
            axes.set_ylim(low, high * (high / low) ** 0.25)  # room for the names
            axes.legend(loc="upper left")
    return figure
