"""Gathers the kinds of cases, in the order in which cases are numbered."""

import importlib

MODULES = ("stores", "schemas", "snapshots", "exports", "logs", "laboratory", "caches")

for _module in MODULES:
    importlib.import_module(f"hostile.{_module}")
