"""Campaigns in a browser: `allotment serve`. Needs the extra `web`; the commands load it only to serve."""
