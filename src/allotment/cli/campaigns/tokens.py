"""`allotment token`: who may sign in to a served store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from allotment.cli.app import CAMPAIGNS, app
from allotment.cli.campaigns.shared import CampaignOption, StoreArgument, print_rows
from allotment.cli.inputs import JsonOption
from allotment.cli.output import print_json, say

if TYPE_CHECKING:
    from allotment.campaign.access.tokens import Tokens

token = typer.Typer(help="Give people access to a served store, and take it away.")
app.add_typer(token, name="token", rich_help_panel=CAMPAIGNS)

NameArgument = Annotated[str, typer.Argument(help="The holder's name: the author of what they record.")]


@token.command()
def add(
    store: StoreArgument,
    name: NameArgument,
    role: Annotated[str, typer.Option(help="viewer (reads), recorder (reports) or planner (does all).")],
    campaign: CampaignOption = None,
    group: Annotated[
        str | None, typer.Option(help="Let a recorder report the places of this group only.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="The last day on which it works; a year by default.")
    ] = None,
) -> None:
    """Make a token for a person, and show it once."""
    from allotment.campaign.access.rights import PLANNER, Rights
    from allotment.campaign.campaign import Campaign
    from allotment.campaign.forms.names import author
    from allotment.campaign.settings.grouping import known_group

    with _tokens(store) as tokens:
        number = None if campaign is None else tokens.store.find(campaign)
        if group is not None and number is not None:
            group = known_group(Campaign(tokens.store, number, author(None)).settings, group)
        rights = Rights(name, role, number, group)
        made, text = tokens.add(rights, until=until, by=Rights(author(None), PLANNER))
    say(f"Token of {made.name}, a {role}, valid until {made.until}. It is shown only now; keep it private:")
    print(text)


@token.command(name="list")
def list_tokens(store: StoreArgument, json: JsonOption = False) -> None:
    """List all tokens, without their secrets."""
    with _tokens(store) as tokens:
        called, now = tokens.campaign_names(), tokens.clock()
        rows = [
            {
                "name": each.name,
                "role": each.rights.role,
                "campaign": "all" if each.rights.campaign is None else called[each.rights.campaign],
                "group": each.rights.group,
                "state": each.state(now),
                "until": each.until.isoformat(),
                "last_seen": None if each.seen is None else each.seen.isoformat(timespec="minutes"),
                "made_by": each.made_by,
            }
            for each in tokens.all()
        ]
    if json:
        print_json(rows)
    elif rows:
        columns = ("name", "role", "campaign", "group", "state", "until")
        print_rows(columns, [[row[name] or "" for name in columns] for row in rows])
    else:
        say("No token yet. `allotment token add STORE NAME --role planner` makes one.")


@token.command()
def revoke(store: StoreArgument, name: NameArgument) -> None:
    """End a token and sign its holder out everywhere."""
    from allotment.campaign.access.rights import PLANNER, Rights
    from allotment.campaign.forms.names import author

    with _tokens(store) as tokens:
        ended = tokens.revoke(name, by=Rights(author(None), PLANNER))
    say(f"The token of {ended.name} is revoked, and its sessions have ended.")


@contextmanager
def _tokens(store: str) -> Iterator["Tokens"]:
    """The tokens of a store. A database gets its tables if it has none, so that a team can start empty."""
    from allotment.campaign.access.tokens import Tokens
    from allotment.campaign.history.store.connecting import is_url
    from allotment.campaign.history.store.store import Store

    with Store(store, create=is_url(store)) as opened:
        yield Tokens(opened)
