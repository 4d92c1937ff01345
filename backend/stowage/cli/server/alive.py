"""`stowage alive`: health check that containers run every few seconds; this module imports little, to stay cheap."""

import http.client
from typing import Literal

import click

from stowage import logs
from stowage.cli.server.configuration import configured

DONE, FAILED = 0, 1

PartName = Literal["api", "sweeps", "periodic", "quick", "refresh", "runs", "alerts", "scheduler"]

_PROBE_TIMEOUT_S = 5.0


def alive(part: PartName) -> int:
    """Check whether the API, a worker or the scheduler works, for the health checks of containers.

    Returns
    -------
    int
        Exit status: 0 the part works; 1 the part does not work, or its state is unknown.
    """
    if part == "api":
        settings = configured()
        # Use a host name that the API accepts; a wildcard also accepts localhost.
        return DONE if _ready(settings.port, settings.hosts[0].replace("*", "localhost")) else FAILED
    settings = configured("REDIS_URL")
    # Imported here, because the frequent check of the API does not need it.
    from stowage.platform.jobs.errors import JobsError
    from stowage.platform.jobs.queue import Queue

    try:
        with Queue(str(settings.redis_url)) as queue:
            return DONE if part in queue.last_seen() else FAILED
    except JobsError as error:
        click.echo(f"stowage: {logs.mask(str(error))}", err=True)
        return FAILED


def _ready(port: int, host: str) -> bool:
    """Return whether the API is ready, bypassing proxies set in the environment."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PROBE_TIMEOUT_S)
    try:
        connection.request("GET", "/api/v1/readiness", headers={"Host": host})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
