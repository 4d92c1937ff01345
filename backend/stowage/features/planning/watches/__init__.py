"""Watched plans, which are checked periodically so that the team is notified of changed answers."""
