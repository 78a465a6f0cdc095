"""Campaigns on a server, with the methods of a campaign in a file: `al.connect(url, token, campaign)`."""

from allotment.client.connecting import connect as connect
