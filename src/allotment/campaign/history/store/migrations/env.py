"""How Alembic runs the migrations: on the connection that it is handed, in the transaction that is open."""

from alembic import context

if hasattr(context, "config"):  # and so Alembic is at work, and not someone who only reads this file
    given = context.config.attributes
    context.configure(connection=given["connection"], version_table=given["version_table"])
    context.run_migrations()
