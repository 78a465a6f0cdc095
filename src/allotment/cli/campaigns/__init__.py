"""The commands of campaigns, in the order in which they are listed."""

from allotment.cli.campaigns import daily, settings  # noqa: F401 - importing adds the commands
from allotment.cli.campaigns import questions  # noqa: F401, I001
from allotment.cli.campaigns import safety  # noqa: F401, I001
