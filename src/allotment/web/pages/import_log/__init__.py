"""Import: a log is sent, its columns are matched, its report is shown, and it is kept or dropped."""
