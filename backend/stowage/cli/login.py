"""`stowage login` and `stowage logout`: storage of an API token on this machine."""

import platform
import sys
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, BinaryIO

import click

from stowage import logs
from stowage.cli import credentials
from stowage.cli.addresses import accepted_address, is_behind_tls, is_this_machine, port_of
from stowage.cli.credentials import CredentialsUnusable, StoredToken
from stowage.cli.server.configuration import configured
from stowage.cli.server.running import Running, running
from stowage.cli.service import NotSignedIn, Service, ServiceError, Unreachable, default_address, kept_for
from stowage.cli.statuses import BAD_INPUT, DONE, failed
from stowage.features.teams.operators import make_local_token
from stowage.platform.database.database import Database
from stowage.platform.database.errors import StoreError
from stowage.platform.errors import NotFound

_LONGEST_TOKEN = 1000


def login(address: str | None, token_file: BinaryIO | None) -> int:
    """Store a token for a service.

    For a local service, the token is created in its database. For another service, the user enters the token.

    Parameters
    ----------
    address : str or None
        Address of the service; None for the address in the settings, else the local service.
    token_file : BinaryIO or None
        File with the token; None to prompt for it.

    Returns
    -------
    int
        Exit status: 0 signed in; 1 the service does not answer; 2 the address or the token is invalid.
    """
    settings = configured()
    logs.configure("text")  # readable output, also inside a container
    try:
        there = default_address(settings) if address is None else accepted_address(address)
        found = running(settings.home)
        if token_file is None and found is not None and _is_at(found, there):
            kept = credentials.kept().get(there)
            if kept is not None and _still_counts(there, kept.token):
                click.echo(f"Signed in at {there} already, as {kept.person} of {kept.team}.")
                return DONE
            token = _made_at(found)
        else:
            token = _of_the_service(there, _typed(there) if token_file is None else _read(token_file))
        file = credentials.keep(there, token)
    except (ValueError, NotSignedIn, NotFound) as error:
        return failed(_words(error), BAD_INPUT)
    except (ServiceError, CredentialsUnusable, StoreError) as error:
        return failed(logs.mask(str(error)))
    until = "" if token.expires_at is None else f" until {token.expires_at[:10]}"
    click.echo(f"Signed in at {there} as {token.person} of {token.team}{until}; the token is kept in {file}.")
    return DONE


def logout(address: str | None) -> int:
    """Revoke and delete the stored token of a service.

    Return the exit status as `login` does.
    """
    settings = configured()
    try:
        there = default_address(settings) if address is None else accepted_address(address)
        kept = credentials.kept().get(there)
        if kept is None:
            return failed(f"no token is kept for {there}", BAD_INPUT)
        credentials.forget(there)
        kept_for(there, kept).ask("DELETE", "/tokens/current")
    except NotSignedIn:
        pass  # revoked before
    except ValueError as error:
        return failed(str(error), BAD_INPUT)
    except CredentialsUnusable as error:
        return failed(str(error))
    except ServiceError as error:
        return failed(f"{error}; the token is forgotten here and not revoked there: see Account, Tokens")
    click.echo(f"Signed out at {there}: the token is revoked.")
    return DONE


def _words(error: Exception) -> str:
    # During `stowage login`, the advice to run it would be useless.
    return "the token is not accepted there: none, revoked or expired" if isinstance(error, NotSignedIn) else str(error)


def _is_at(found: Running, address: str) -> bool:
    return is_this_machine(address) and not is_behind_tls(address) and port_of(address) == found.port


def _still_counts(address: str, token: str) -> bool:
    try:
        Service(address, token).ask("GET", "/me")
    except NotSignedIn:
        return False
    return True


def _made_at(found: Running) -> StoredToken:
    """Create a token in the database of the local service.

    No sign-in is needed: only the user who started the service can read the URL of its database.
    """
    with closing(Database(found.gate_database_url, pool_size=1)) as gate:
        made = make_local_token(gate, f"stowage login on {platform.node()}"[:100], datetime.now(UTC))
    return StoredToken(made.text, made.team, made.person, made.expires_at.isoformat(timespec="seconds"))


def _typed(address: str) -> str:
    if not sys.stdin.isatty():
        raise ValueError("there is no terminal to type a token into: give a file with --token-file, or - for input")
    click.echo(f"Make a token at {address}/settings/tokens; it is not shown while you paste it.", err=True)
    return str(click.prompt("Token", hide_input=True, err=True)).strip()


def _read(file: BinaryIO) -> str:
    return file.read(_LONGEST_TOKEN).decode(errors="replace").strip()


def _of_the_service(address: str, token: str) -> StoredToken:
    answer = Service(address, token).ask("GET", "/me")
    person, team = _name(answer.get("person")), _name(answer.get("team"))
    if not person:
        raise Unreachable(f"{address} does not answer as Stowage does")
    return StoredToken(token, team or "no team", person, None)


def _name(said: Mapping[str, Any] | None) -> str:
    return "" if said is None else str(said.get("name", ""))
