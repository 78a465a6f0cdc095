"""Gathers the kinds of cases, and numbers the cases."""

import importlib

from hostile.cases import Kind

STORES = ("stores", "schemas", "snapshots", "exports")
TABLES = ("logs", "workbooks", "parquets", "arguments")
LABORATORY = ("results", "laboratory")
LATER = ("caches", "calendars")  # at the end, so that earlier cases keep their numbers

MODULES = [importlib.import_module(f"hostile.{name}") for name in (*STORES, *TABLES, *LABORATORY, *LATER)]
KINDS = [value for module in MODULES for value in vars(module).values() if isinstance(value, Kind)]


def numbered():
    """All cases: number, kind, position within the kind."""
    number = 0
    for kind in KINDS:
        for position in range(kind.cases):
            yield number, kind, position
            number += 1
