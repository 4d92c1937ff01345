"""The search: exact, deterministic, pure."""
