"""Commands of the operator for accounts and teams.

`stowage link` prints a sign-in link, `stowage verify-email` marks an address as verified, `stowage reset-second-factor`
removes a lost second factor, `stowage team create` invites an owner, `stowage quotas` lists and sets quotas.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime

import click

from stowage import logs
from stowage.cli.addresses import address_of, sign_in_address, told_link
from stowage.cli.server.configuration import configured
from stowage.cli.server.running import running
from stowage.cli.statuses import BAD_INPUT, DONE, failed
from stowage.features.teams import operators
from stowage.frozen import frozen
from stowage.platform.database.database import Database
from stowage.platform.database.errors import StoreError
from stowage.platform.errors import BadInput, NotFound
from stowage.platform.quotas import QUOTAS


@frozen
class _Place:
    """Databases and public address of a service."""

    gate: Database
    database: Database
    address: str


def link(email: str | None) -> int:
    """Print a one-time sign-in link for the local owner, or for the person with this e-mail.

    Returns
    -------
    int
        Exit status: 0 done; 1 the database does not answer; 2 no account has this e-mail, or no database is configured.
    """

    def make(place: _Place) -> str:
        secret = operators.make_sign_in_link(place.gate, email, datetime.now(UTC))
        return told_link(sign_in_address(place.address, secret))

    return _at_the_service(make)


def verify_email(email: str) -> int:
    """Mark the e-mail address of an account as verified.

    Return the exit status as `link` does.
    """
    return _at_the_service(
        lambda place: f"{email} is verified as the address of {operators.verify_email(place.gate, email)}"
    )


def reset_second_factor(email: str | None) -> int:
    """Remove the second factor of the account with an e-mail address, or that of the local owner.

    Return the exit status as `link` does.
    """

    def reset(place: _Place) -> str:
        name = operators.reset_second_factor(place.gate, email)
        return f"The second factor of {name} is removed, and all their sessions have ended"

    return _at_the_service(reset)


def create_team(name: str, owner: str) -> int:
    """Create a team, and print the invitation link of its first owner.

    Return the exit status as `link` does.
    """

    def make(place: _Place) -> str:
        secret = operators.create_team(place.gate, place.database, name, owner, datetime.now(UTC))
        return f"{owner} joins as its owner with {place.address}/join#{secret}"

    return _at_the_service(make)


def quotas(team: str | None, limits: Mapping[str, int | None]) -> int:
    """Set and print the quotas of a team, or print the default quotas if no team is given.

    Return the exit status as `link` does.

    Parameters
    ----------
    team : str or None
        Name or id of the team.
    limits : mapping of str to int or None
        New limits; None resets a quota to its default.
    """

    def change(place: _Place) -> str:
        found: Mapping[str, int] = {}
        if team is not None:
            for name, limit in limits.items():
                operators.set_quota(place.gate, team, name, limit)
            found = operators.limits_of(place.gate, team)
        return "\n".join(
            f"{name:<20} {found.get(name, quota.default):>16,} {quota.unit:<9} {quota.words}"
            for name, quota in QUOTAS.items()
        )

    return _at_the_service(change)


def _at_the_service(make: Callable[[_Place], str]) -> int:
    """Call `make` with the databases of a service, and print the text that it returns.

    The databases are those in the settings, else those of the service that `stowage up` runs on this machine. Return
    the exit status as `link` does.
    """
    settings = configured()
    logs.configure("text")  # readable output, also inside a container
    found = running(settings.home)
    if settings.gate_database_url is not None:
        gate_url, database_url = settings.gate_database_url, str(settings.database_url)
    elif found is not None:
        gate_url, database_url = found.gate_database_url, found.database_url
    else:
        words = "start `stowage up`, name its folder with STOWAGE_HOME, or set DATABASE_URL and GATE_DATABASE_URL"
        return failed(f"nothing runs on {settings.home}: {words}", BAD_INPUT)
    here = address_of(settings.bind, settings.port) if found is None else found.address
    try:
        with closing(Database(gate_url, pool_size=1)) as gate, closing(Database(database_url, pool_size=1)) as database:
            click.echo(make(_Place(gate, database, settings.public_url or here)))
    except BadInput as error:
        for problem in error.problems:
            click.echo(f"stowage: {problem.path}: {problem.message}", err=True)
        return BAD_INPUT
    except NotFound as error:
        return failed(str(error), BAD_INPUT)
    except StoreError as error:
        return failed(logs.mask(str(error)))
    return DONE
