"""Queries of people, memberships, sessions, credentials and tokens."""
