"""Tables that people bring: logs, reports and lists of places."""
