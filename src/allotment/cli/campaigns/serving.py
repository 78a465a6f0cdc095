"""`allotment serve`: campaigns in a browser."""

from typing import Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import StoreArgument
from allotment.extras import needed


@app.command(rich_help_panel=CAMPAIGNS)
def serve(
    store: StoreArgument,
    port: Annotated[int, typer.Option(help="The port on this machine; 0 for any free one.")] = 8350,
    browser: Annotated[bool, typer.Option(help="Open the sign-in page in your browser.")] = True,
) -> None:
    """Show campaigns in a browser, on this machine only."""
    for module in ("fastapi", "uvicorn", "jinja2", "python_multipart"):
        needed(module, "pages", "web")
    from allotment.web.server import serve as serve_pages

    serve_pages(store, port, browser=browser, say=lambda line: print(line, flush=True))
