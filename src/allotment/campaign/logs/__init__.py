"""Tables from users: logs, reports and lists of places."""
