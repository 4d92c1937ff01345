"""Signing in: accounts, passwords, second factors, passkeys, OpenID Connect, sessions and API tokens."""
