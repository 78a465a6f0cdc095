"""How Alembic runs the migrations: on the connection that it is handed, in the transaction that is open."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
