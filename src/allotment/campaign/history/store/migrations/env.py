"""Runs Alembic's migrations on the given connection, in the open transaction."""

from alembic import context

if hasattr(context, "config"):  # and so Alembic is at work, and not someone who only reads this file
    given = context.config.attributes
    context.configure(connection=given["connection"], version_table=given["version_table"])
    context.run_migrations()
