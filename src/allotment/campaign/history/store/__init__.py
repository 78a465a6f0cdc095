"""Where campaigns are kept: one SQLite file, or a PostgreSQL database."""
