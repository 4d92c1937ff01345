"""Roles, scopes and what may be shared, as rows, requests and answers name them."""

from typing import Literal

Role = Literal["owner", "planner", "contributor", "viewer"]
Scope = Literal["read", "plan", "measure", "audit"]
LinkKind = Literal["plan", "sweep", "report"]
ActorKind = Literal["person", "token", "link", "system"]
SessionKind = Literal["password", "oidc", "link"]
ProofKind = Literal["password", "provider"]
OneTimeKind = Literal["sign-in", "reset", "oidc", "verify", "second-factor", "passkey"]
