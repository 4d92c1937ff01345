"""Entry point of `python -m stowage`, which runs the command-line interface."""

from stowage.cli import main

main()
