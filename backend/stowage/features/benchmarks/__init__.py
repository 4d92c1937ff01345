"""Benchmark runs in connected AWS accounts: quotes, approval, reconciliation, results; and the accounts themselves."""

PUBLIC = (
    "aws_accounts",
    "cloud",
    "runs",
    "schemas",
    "store.aws_accounts",
    "stored_runs",
)
"""Modules that other features may import."""
