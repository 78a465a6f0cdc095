"""Answers of a campaign: status, frontier, forecast, checks, explanation."""

from allotment.system.moved_modules import old_classes

__getattr__ = old_classes(__name__)
