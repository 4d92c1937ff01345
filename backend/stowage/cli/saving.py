"""`stowage plan --save`: a plan computed and saved by the service, for the token's team."""

import json
from uuid import uuid4

import click

from stowage.cli.credentials import CredentialsUnusable
from stowage.cli.server.configuration import configured
from stowage.cli.service import NotAccepted, NotFound, NotSignedIn, Refused, ServiceError, signed_in
from stowage.platform.errors import BadInput
from stowage.workloads.workload_file import WorkloadFile

DONE, FAILED, BAD_INPUT, NOTHING_FITS = 0, 1, 2, 3


def save(file: WorkloadFile, *, as_json: bool) -> int:
    """Save a plan at the service; print its address, or the whole answer as JSON.

    Returns
    -------
    int
        Exit status: 0 saved; 1 the service does not answer; 2 not signed in, no permission or invalid file; 3 saved,
        but nothing meets the limits.

    Raises
    ------
    BadInput
        The service refuses the file, for example because its catalog differs from the one of this program.
    """
    try:
        service = signed_in(configured())
        saved = service.ask("POST", "/plans", file.written(), {"Idempotency-Key": str(uuid4())})
    except NotAccepted as error:
        raise BadInput(error.problems) from error
    except NotFound:
        # Every team has a list of plans: a 404 here means a missing permission.
        click.echo(
            f"stowage: this token may not save plans at {service.address}: make one with the scope 'plan' "
            f"({service.address}/account/tokens); its person needs the role planner or owner",
            err=True,
        )
        return BAD_INPUT
    except (NotSignedIn, Refused, ValueError) as error:
        click.echo(f"stowage: {error}", err=True)
        return BAD_INPUT
    except (ServiceError, CredentialsUnusable) as error:
        click.echo(f"stowage: {error}", err=True)
        return FAILED
    click.echo(json.dumps(saved, indent=2) if as_json else f"Saved as {service.address}/plans/{saved['id']}")
    return DONE if saved["answer"]["configurations"] else NOTHING_FITS
