"""`allotment serve`: campaigns in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import StoreArgument
from allotment.errors import InputError
from allotment.system.extras import needed

TEAM = "For a team (docs/how-to/team.md)"


@app.command(rich_help_panel=CAMPAIGNS)
def serve(
    store: StoreArgument,
    port: Annotated[int, typer.Option(help="The port on this machine; 0 for any free one.")] = 8350,
    browser: Annotated[bool, typer.Option(help="Open the sign-in page in your browser.")] = True,
    host: Annotated[
        str | None,
        typer.Option(
            help="Serve other machines on this address; people sign in with tokens.", rich_help_panel=TEAM
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name under which browsers open the server (repeatable).", rich_help_panel=TEAM),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The certificate, in PEM.", rich_help_panel=TEAM)
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The key of the certificate.", rich_help_panel=TEAM)
    ] = None,
    self_signed: Annotated[
        bool,
        typer.Option("--self-signed", help="Make a certificate. Browsers warn of it.", rich_help_panel=TEAM),
    ] = False,
    behind_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="Take requests from this proxy only (repeatable).", rich_help_panel=TEAM
        ),
    ] = None,
) -> None:
    """Show campaigns in a browser, to you or to a team."""
    for module in ("fastapi", "uvicorn", "jinja2", "python_multipart", "segno", "cryptography"):
        needed(module, "pages", "web")
    from allotment.web.serving.server import serve as serve_pages
    from allotment.web.serving.server import serve_team
    from allotment.web.serving.team_options import TeamOptions

    def say(line: str) -> None:
        print(line, flush=True)

    if host is not None:
        options = TeamOptions(
            host, tuple(name or ()), tls_cert, tls_key, self_signed, tuple(behind_proxy or ())
        )
        serve_team(store, port, options, say=say)
    elif name or tls_cert or tls_key or self_signed or behind_proxy:
        raise InputError("an option for a team is set without --host", "--host with an address", what="host")
    else:
        serve_pages(store, port, browser=browser, say=say)
