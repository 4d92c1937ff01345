"""Teams: members, invitations, roles, tokens, and signing in."""

PUBLIC = (
    "sign_in.passwords",
    "sign_in.schemas",
    "sign_in.store.team",
)
"""Modules that other features may import."""
