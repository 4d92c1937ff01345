"""Exit statuses of commands."""

DONE = 0
FAILED = 1
"""Internal error, or a server that does not answer."""
BAD_INPUT = 2
NOTHING_FITS = 3
