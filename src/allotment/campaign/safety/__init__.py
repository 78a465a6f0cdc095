"""Verifies, backs up, exports, replays and restores campaigns."""
