"""Configuration of a command from settings and environment, with error messages."""

import sys

import click
from pydantic import ValidationError

from stowage.cli.statuses import BAD_INPUT
from stowage.settings import Settings


def configured(*needed: str) -> Settings:
    """Load the settings from the environment and from files of secrets.

    If settings are invalid or missing, a line is printed for each of them, and the program exits with status 2.

    Parameters
    ----------
    *needed : str
        Environment names of the settings that the command requires: ``"DATABASE_URL"``.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            name = ".".join(str(part) for part in detail["loc"]) or "settings"
            click.echo(f"stowage: {name}: {detail['msg'].removeprefix('Value error, ')}", err=True)
        sys.exit(BAD_INPUT)
    missing = [name for name in needed if getattr(settings, name.lower().removeprefix("stowage_")) is None]
    for name in missing:
        click.echo(f"stowage: {name} is not set: name it in the environment or in a file of secrets", err=True)
    if missing:
        sys.exit(BAD_INPUT)
    return settings
