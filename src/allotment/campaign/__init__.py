"""Campaigns: durable plans and reports. An append-only history, and what it implies."""
