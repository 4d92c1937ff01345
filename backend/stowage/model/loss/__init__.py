"""The chance of losing data."""
