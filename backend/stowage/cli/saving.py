"""`stowage plan --save`: a plan computed and saved by the service, for the token's team."""

import json
from uuid import uuid4

import click

from stowage.cli.server.configuration import configured
from stowage.cli.service import NotFound, Refused, refusals_answered, signed_in
from stowage.cli.statuses import DONE, NOTHING_FITS
from stowage.workloads.workload_file import WorkloadFile


def save(file: WorkloadFile, *, as_json: bool) -> int:
    """Save a plan at the service.

    Its address is printed, or the whole answer as JSON.

    Returns
    -------
    int
        Exit status: 0 saved; 1 the service does not answer; 2 not signed in, no permission or invalid file; 3 saved,
        but nothing meets the limits.

    Raises
    ------
    BadInput
        The service refuses the file, for example because the service's catalog differs from that of this program.
    """
    with refusals_answered():
        service = signed_in(configured())
        try:
            saved = service.ask("POST", "/plans", file.written(), {"Idempotency-Key": str(uuid4())})
        except NotFound:
            # Every team has a list of plans: a 404 here means a missing permission.
            raise Refused(
                f"this token may not save plans at {service.address}: make one with the scope 'plan' "
                f"({service.address}/settings/tokens); its person needs the role planner or owner"
            ) from None
    click.echo(json.dumps(saved, indent=2) if as_json else f"Saved as {service.address}/plans/{saved['id']}")
    return DONE if saved["answer"]["configurations"] else NOTHING_FITS
