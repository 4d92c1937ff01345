"""`python -m stowage`."""

from stowage.cli import main

main()
