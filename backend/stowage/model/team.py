"""Roles, scopes, and the kinds of share links, sessions and proofs, with their names in tables and in the API."""

from typing import Literal

Role = Literal["owner", "planner", "contributor", "viewer"]
Scope = Literal["read", "plan", "measure", "audit"]
LinkKind = Literal["plan", "sweep", "report"]
ActorKind = Literal["person", "token", "link", "system"]
SessionKind = Literal["password", "oidc", "link"]
ProofKind = Literal["password", "provider"]
OneTimeKind = Literal["sign-in", "reset", "oidc", "verify", "second-factor", "passkey"]
