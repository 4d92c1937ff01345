"""Watched plans: their answers are recomputed regularly, and the team is alerted to changes."""
