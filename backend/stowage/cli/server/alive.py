"""`stowage alive`: what containers ask every few seconds. Loads little: it must not be work."""

import http.client
from typing import Literal

import click

from stowage import logs
from stowage.cli.server.configuration import configured

DONE, FAILED = 0, 1

PartName = Literal["api", "sweeps", "periodic", "quick", "refresh", "runs", "alerts", "scheduler"]

_PROBE_TIMEOUT_S = 5.0


def alive(part: PartName) -> int:
    """Return whether a part works, for the health checks of containers.

    Returns
    -------
    int
        Exit status: 0 it does; 1 it does not, or its state is unknown.
    """
    if part == "api":
        settings = configured()
        # Asked by a name that it answers to; a pattern among those stands for this one too.
        return DONE if _ready(settings.port, settings.hosts[0].replace("*", "localhost")) else FAILED
    settings = configured("REDIS_URL")
    # Imported here: the API is asked every few seconds, and asking it needs nothing of this.
    from stowage.platform.jobs.errors import JobsError
    from stowage.platform.jobs.queue import Queue

    try:
        with Queue(str(settings.redis_url)) as queue:
            return DONE if part in queue.last_seen() else FAILED
    except JobsError as error:
        click.echo(f"stowage: {logs.mask(str(error))}", err=True)
        return FAILED


def _ready(port: int, host: str) -> bool:
    """Ask for readiness from inside, past every proxy that the environment may name."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PROBE_TIMEOUT_S)
    try:
        connection.request("GET", "/api/v1/readiness", headers={"Host": host})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
