"""Watched plans: their questions are asked again, and the team is told when the answer changes."""
