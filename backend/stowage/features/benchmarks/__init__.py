"""Connected AWS accounts, and benchmark runs in these accounts: quotes, approval, reconciliation and results."""

PUBLIC = (
    "aws_accounts",
    "runs",
    "schemas",
    "store.aws_accounts",
    "stored_runs",
)
"""Modules that other features may import."""
