"""The tables of docs/studies/performance.md and docs/how-to/scale.md, filled in with stored numbers."""

import re

SECTION = re.compile(r"(<!-- (\w+): begin -->\n).*?(<!-- \2: end -->)", re.DOTALL)
PLAN = {"problems": 10**6, "replications": 1000, "rounds": 10_000}
BYTES = 8  # of a number


def table(head, rows, numbers):
    """A table in Markdown, whose last columns are numbers."""
    rule = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in (head, rule, *rows))


def short(number):
    """A number with two or three digits that count."""
    if number >= 1000:
        return f"{float(f'{number:.3g}'):,.0f}"
    return f"{number:.0f}" if number >= 100 else f"{number:.2g}" if number < 10 else f"{number:.3g}"


def time_of(seconds):
    """Seconds in the unit that suits them."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{short(seconds / size)} {unit}"
    return f"{short(seconds / 1e-6)} µs"


def made_by(about):
    """The line below a table: how, when, where and with what it was made."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items() if name != "system")
    where = f"{about['date']}, {about['machine']}, {about['versions']['system']}"
    return f"`{about['command']}`, medians of {about['passes']} passes; {where}; {versions}."


def peers_table(stored):
    """Who plays, and how many times as long as we it takes."""
    rows = []
    for row in stored["rows"]:
        if "missing" in row:
            rows.append((row["name"], "", f"could not be installed: {row['missing']}", "", "", ""))
            continue
        times = "1" if row["name"] == "allotment" else short(row["times"])
        size, regret = f"{row['replications']} x {row['rounds']:,}", f"{row['regret']:.0f}"
        rows.append((row["name"], row["version"], size, short(row["microseconds"]), times, regret))
    head = ("who", "version", "replications x rounds a pass", "µs a round", "times ours", "regret")
    return f"{table(head, rows, 4)}\n\n{made_by(stored['about'])}"


def games_table(stored):
    """Small and short games beside NumPy, and what a replication takes to start."""
    rows = [
        (
            row["name"],
            f"{row['rounds']:,}",
            row["replications"],
            short(row["peer_microseconds"]),
            short(row["microseconds"]),
            short(row["times"]),
            f"{row['peer_regret']:.3g}, {row['regret']:.3g}",
        )
        for row in stored["rows"]
    ]
    head = (
        "game",
        "rounds",
        "replications",
        "NumPy: µs a round",
        "ours",
        "times ours",
        "regret: NumPy, ours",
    )
    starts = [
        (label, time_of(seconds["start"]), time_of(seconds["with_round"]))
        for label, seconds in stored["starts"].items()
    ]
    starts_head = ("policy, 20 arms", "start of a replication", "with its first round")
    return f"{table(head, rows, 6)}\n\n{table(starts_head, starts, 2)}\n\n{made_by(stored['about'])}"


def growth_table(stored):
    """What each size costs, and how many times the size before."""
    rows = []
    for each in stored["series"]:
        steps = ["", *(f"x {short(times)}" for times in each["times"])]
        costs = [time_of(seconds) for seconds in each["seconds"]]
        cells = [
            f"{size:,}: {cost} {step}".strip()
            for size, cost, step in zip(each["sizes"], costs, steps, strict=True)
        ]
        rows.append((each["grows"], each["who"], each["measured"], "; ".join(cells)))
    head = ("what grows", "who", "cost of", "size: cost, times that of the size before")
    return f"{table(head, rows, 0)}\n\n{made_by(stored['about'])}"


def starts_table(stored):
    """What a command takes where nothing is compiled, and later."""
    head = ("`allotment …`", "first time: something shown", "done", "later: the first round begins", "done")
    rows = []
    for each in stored["rows"]:
        first, later = each["first"], each["later"]
        begins = time_of(later["begins"]) if "begins" in later else ""
        rows.append(
            (
                f"`{each['does']}`",
                time_of(first["shown"]),
                time_of(first["done"]),
                begins,
                time_of(later["done"]),
            )
        )
    return f"{table(head, rows, 4)}\n\n{made_by(stored['about'])}"


def cluster_table(stored):
    """The cluster beside processes."""
    seconds, handed_out = stored["seconds"], f"{short(stored['handed_out'])} a second"
    rows = [
        (f"sweep of {stored['points']} points, two local processes", time_of(seconds["processes"])),
        ("the same on a cluster of two workers", time_of(seconds["cluster"])),
        ("times as long on the cluster", f"{stored['times']:.2f}"),
        ("pieces of work that the cluster hands out and gets back, if they cost nothing", handed_out),
    ]
    same = "The two frames are the same." if stored["same"] else "The two frames differ."
    return f"{table(('what', 'median'), rows, 1)}\n\n{same} {made_by(stored['about'])}"


def load_table(stored):
    """What a team's requests take, by kind and store."""
    head = ("store", "request", "a second", "median", "95th percentile", "503: ask again", "other errors")
    rows = [
        (
            each["store"],
            each["kind"],
            short(each["a_second"]),
            time_of(each["median"]),
            time_of(each["percentile"]),
            each["busy"],
            each["errors"],
        )
        for each in stored["rows"]
    ]
    about = stored["about"]
    load = f"the machine had a load of {stored['load']:.0f}"
    said = f"{stored['clients']} programs for {stored['seconds']} s; {load}"
    where = f"`{about['command']}`, {about['date']}, {about['machine']}, {about['versions']['system']}"
    return f"{table(head, rows, 5)}\n\n{said}. {where}."


def plan(stored):
    """A large sweep on paper, from the measured cost of a round."""
    microseconds = next(row["microseconds"] for row in stored["peers"]["rows"] if row["name"] == "allotment")
    points, runs = PLAN["problems"], PLAN["problems"] * PLAN["replications"]
    core_hours = runs * PLAN["rounds"] * microseconds / 1e6 / 3600
    rows = [
        ("points (one policy)", f"{points:,}"),
        ("replications in all", f"{runs:,}"),
        ("rounds in all", f"{runs * PLAN['rounds']:.0e}"),
        ("regrets, if only the last round is recorded", f"{BYTES * runs / 1e9:.0f} GB"),
        ("the same with 50 recorded rounds", f"{50 * BYTES * runs / 1e9:.0f} GB"),
        ("work for one core", f"{short(core_hours)} hours"),
        *((f"{cores:,} cores", f"{short(core_hours / cores)} hours") for cores in (2, 64, 1000)),
    ]
    return (
        f"{table(('what', 'how much'), rows, 1)}\n\n"
        f"At {short(microseconds)} µs a round, as measured on {stored['peers']['about']['date']} "
        f"(`{stored['peers']['about']['command']}`)."
    )


PARTS = {
    "peers": lambda stored: peers_table(stored["peers"]),
    "games": lambda stored: games_table(stored["games"]),
    "growth": lambda stored: growth_table(stored["growth"]),
    "starts": lambda stored: starts_table(stored["starts"]),
    "cluster": lambda stored: cluster_table(stored["cluster"]),
    "load": lambda stored: load_table(stored["load"]),
    "plan": plan,
}


NEEDS = {"plan": "peers"}  # the measurements that a part is made of, if not those of its name


def filled(text, stored):
    """A page with its tables made of stored numbers; one that was never measured stays as it is."""

    def section(found):
        if NEEDS.get(found[2], found[2]) not in stored:
            return found[0]
        return f"{found[1]}\n{PARTS[found[2]](stored)}\n\n{found[3]}"

    return SECTION.sub(section, text)
