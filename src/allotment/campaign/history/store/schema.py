"""Checks that a store has plain tables only: no views, triggers or rules that act on their own.

With a trigger or a view in place of a table, what is written could go elsewhere and be acknowledged.
"""

from sqlalchemy import Connection, text

from allotment.campaign.history.store.tables import SINCE, metadata
from allotment.errors import StoreError

IN_A_FILE = text("SELECT name, type, coalesce(sql, '') AS sql FROM sqlite_master")
COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(:table)"
ON_A_SERVER = (  # what may not be there, and how to find out
    (
        "a view",
        "SELECT relname FROM pg_class WHERE oid = to_regclass(:table) AND relkind NOT IN ('r', 'p')",
    ),
    ("a trigger", "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(:table) AND NOT tgisinternal"),
    ("a rule", "SELECT rulename FROM pg_rewrite WHERE ev_class = to_regclass(:table)"),
)


def check_schema(connection: Connection, store: str, version: str) -> None:
    """Raise an error if a store of a format holds anything that could change what is read or written."""
    check = _check_file if connection.dialect.name == "sqlite" else _check_server
    tables = [table.name for since, made in SINCE.items() if since <= version for table in made]
    if found := check(connection, tables):
        raise StoreError(
            f"{store} holds {found}; a store of campaigns has plain tables only, so nothing was read or "
            f"written: bring back a backup"
        )


def _check_file(connection: Connection, tables: list[str]) -> str:
    for row in connection.execute(IN_A_FILE):
        if row.type in ("trigger", "view"):
            return f"a {row.type}, {row.name}"
        if row.type == "table" and row.sql.lower().startswith("create virtual"):
            return f"a virtual table, {row.name}"
    for table in tables:
        found = {row.name: row.hidden for row in connection.execute(text(COLUMNS), {"table": table})}
        wanted = {column.name for column in metadata.tables[table].columns}
        if found.keys() != wanted or any(found.values()):
            return f"a table {table} with other columns"
    return ""


def _check_server(connection: Connection, tables: list[str]) -> str:
    for table in tables:
        for what, query in ON_A_SERVER:
            if (name := connection.execute(text(query), {"table": table}).scalar()) is not None:
                return f"{what}, {name}"
    return ""
