"""Command-line interface.

Exit status: 0 done; 1 internal error; 2 bad input, with the path of the field; 3 nothing meets the limits.
"""

from stowage.cli.commands import main

__all__ = ["main"]
