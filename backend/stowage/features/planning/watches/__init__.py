"""Watched plans: checked periodically; the team is notified when the answer changes."""
