"""What becomes of a plan that is not simply reported: cancel, close, undo."""
