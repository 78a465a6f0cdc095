"""Campaigns: durable plans and reports, kept as an append-only history of events."""
