"""Report, to be built: the page names the command that does it now."""
