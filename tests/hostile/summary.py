"""What a run of hostile cases found, kind by kind: shown at the end."""

from collections import Counter, defaultdict

PROPERTY = "hostile"


def write(reporter):
    """A line a kind: how many cases, what became of them, the longest time and the largest memory."""
    kinds = defaultdict(list)
    for reports in reporter.stats.values():
        for report in reports:
            for name, found in getattr(report, "user_properties", ()):
                if name == PROPERTY and report.when == "call":
                    kinds[found["kind"]].append(found)
    if not kinds:
        return
    reporter.section("hostile files")
    reporter.write_line(
        f"{'kind':22} {'cases':>6} {'answered':>9} {'refused':>8} {'failed':>7} {'s':>6} {'MB':>5}"
    )
    for name, found in (*kinds.items(), ("all", [each for some in kinds.values() for each in some])):
        ended = Counter("failed" if each["complaint"] else each["code"] for each in found)
        slowest, largest = max(each["seconds"] for each in found), max(each["peak"] for each in found)
        reporter.write_line(
            f"{name:22} {len(found):6} {ended[0]:9} {ended[2]:8} {ended['failed']:7} "
            f"{slowest:6.1f} {largest / 2**20:5.0f}"
        )
