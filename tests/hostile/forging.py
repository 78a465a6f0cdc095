"""Forges events: one field of one event becomes something else, and the chain of hashes is made anew."""

import copy
import json

from allotment.campaign.history.events import digest


class Raw(str):
    """JSON that is written as it stands."""

    __slots__ = ()


FORMULA = "=cmd|' /C calc'!A0"
DEEP = Raw("[" * 100_000 + "]" * 100_000)
VALUES = (
    None,
    True,
    -1,
    0,
    1,
    3,
    2**31,
    2**63,
    10**30,
    1.5,
    -0.5,
    1e308,
    "",
    " ",
    "0",
    "-1",
    "1",
    "2",
    "NaN",
    "sNaN",
    "Infinity",
    "-Infinity",
    "1e-400",
    "1e400",
    "1E+999999",
    "1E-999999",
    "1E+999999999999",
    "0.1",
    "1_0",
    "\uff12",
    "1" * 5000,
    FORMULA,
    "+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "a\nb",
    "x" * 100_000,
    "\x00",
    "\x1b[31mred",
    "\u202eabc",
    "[bold]x[/bold]",
    "2026-02-30",
    "9999-12-31",
    "0001-01-01",
    "evil_mod.X",
    "any-response:learner=evil_mod.X",
    "any-response:learner=evil_mod.X(a=1)",
    "evil_mod.X:a=1",
    "any-response:draws=1000000000",
    "../../evil",
    "Dock",
    "Nowhere",
    [],
    {},
    [None],
    [[]],
    {"": ""},
    {"Dock": "1"},
    Raw("NaN"),
    Raw("-Infinity"),
    Raw("1e400"),
    Raw("1" * 5000),
    Raw('"\\ud800"'),
    Raw("-0.0"),
    Raw("[" * 200 + "]" * 200),
    DEEP,
)
MARK = "@raw@"


def places(content, path=()):
    """The paths of everything within plain data."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield (*path, key)
            yield from places(value, (*path, key))
    elif isinstance(content, list):
        for position, value in enumerate(content[:40]):
            yield (*path, position)
            yield from places(value, (*path, position))


def mutated(luck, content, values=VALUES):
    """The same data with one thing in it changed, dropped, added, doubled or renamed."""
    found = copy.deepcopy(content)
    path = luck.choice(list(places(found)))
    parent = found
    for step in path[:-1]:
        parent = parent[step]
    last, how = path[-1], luck.choice(("set", "set", "set", "set", "drop", "add", "double"))
    if how == "set":
        parent[last] = luck.choice(values)
    elif how == "drop":
        del parent[last]
    elif how == "add":
        if isinstance(parent, dict):
            parent[luck.choice((FORMULA, "extra", "", "__class__", "name", "label"))] = luck.choice(values)
        else:
            parent.append(luck.choice(values))
    elif isinstance(parent[last], list):
        parent[last] = parent[last] * 2
    elif isinstance(parent[last], int | float) and not isinstance(parent[last], bool):
        parent[last] = luck.choice((-parent[last], parent[last] * 1000, parent[last] + 1, 0))
    else:
        parent[last] = [parent[last]]
    return found


def text_of(content):
    """Plain data as the one text that events are hashed by; NaN, infinities and raw JSON included."""
    kept = []

    def marked(value):
        if isinstance(value, Raw):
            kept.append(value)
            return f"{MARK}{len(kept) - 1}{MARK}"
        if isinstance(value, dict):
            return {key: marked(each) for key, each in value.items()}
        if isinstance(value, list):
            return [marked(each) for each in value]
        return value

    text = json.dumps(marked(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for number, raw in enumerate(kept):
        text = text.replace(f'"{MARK}{number}{MARK}"', raw)
    return text


def forge(luck, events, *, raw=False):
    """Events of which one was changed, mostly in its payload. With `raw`, payloads are texts."""
    found = copy.deepcopy(events)
    number = luck.randrange(len(found))
    event = found[number]
    if luck.random() < 0.75:
        payload = json.loads(event["payload"]) if raw else event["payload"]
        changed = mutated(luck, payload)
        event["payload"] = text_of(changed) if raw else changed
    elif raw:
        column = luck.choice(("at", "by", "kind", "version", "key", "request"))
        event[column] = luck.choice([each for each in VALUES if not isinstance(each, Raw | list | dict)])
    else:
        column = luck.choice(("at", "by", "kind", "version", "key", "request", "number", "hash"))
        event[column] = luck.choice(VALUES)
    return found


def rehash(events):
    """The same events, each with the hash that follows from the one before."""
    previous, found = "", []
    for event in events:
        payload = event["payload"]
        text = payload if isinstance(payload, str) else text_of(payload)
        names = ("number", "at", "by", "kind", "version", "key", "request")
        try:
            seal = digest(previous, *(str(event[name]) for name in names), text)
        except (UnicodeEncodeError, ValueError):
            seal = previous
        found.append({**event, "hash": seal})
        previous = seal
    return found
