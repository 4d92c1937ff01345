"""Names, in tables and in the API, of roles, scopes, and kinds of share links, actors, sessions and identity proofs."""

from typing import Literal

Role = Literal["owner", "planner", "contributor", "viewer"]
Scope = Literal["read", "plan", "measure", "audit"]
LinkKind = Literal["plan", "sweep", "report"]
ActorKind = Literal["person", "token", "link", "system"]
SessionKind = Literal["password", "oidc", "link"]
ProofKind = Literal["password", "provider"]
OneTimeKind = Literal["sign-in", "reset", "oidc", "verify", "second-factor", "passkey"]
