"""Names of roles, scopes and kinds, as used in tables and in the API.

The kinds are those of share links, actors, sessions and identity proofs.
"""

from typing import Literal

Role = Literal["owner", "planner", "contributor", "viewer"]
Scope = Literal["read", "plan", "measure", "audit"]
LinkKind = Literal["plan", "sweep", "report"]
ActorKind = Literal["person", "token", "link", "system"]
SessionKind = Literal["password", "oidc", "link"]
ProofKind = Literal["password", "provider"]
OneTimeKind = Literal["sign-in", "reset", "oidc", "verify", "second-factor", "passkey"]
