"""What plans prevent, compared with control rounds."""

from allotment.system.moved_modules import old_classes

__getattr__ = old_classes(__name__)
