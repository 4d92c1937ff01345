"""Exit statuses of commands, and the message of a command that fails."""

import click

DONE = 0
FAILED = 1
"""Internal error, or a server that does not answer."""
BAD_INPUT = 2
NOTHING_FITS = 3


def failed(words: str, status: int = FAILED) -> int:
    """Print why a command fails on standard error, and return its exit status."""
    click.echo(f"stowage: {words}", err=True)
    return status
