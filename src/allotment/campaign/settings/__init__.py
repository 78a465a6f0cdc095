"""The settings of a campaign, the first ones, and every change of them."""

from allotment.system.moved_modules import old_classes

__getattr__ = old_classes(__name__)
