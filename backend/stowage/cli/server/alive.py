"""`stowage alive`: health check that containers run every few seconds.

This module imports little, so that the check takes little CPU time.
"""

import http.client
from typing import Literal

from stowage import logs
from stowage.cli.server.configuration import configured
from stowage.cli.statuses import DONE, FAILED, failed
from stowage.settings import Settings

PartName = Literal["api", "sweeps", "periodic", "quick", "refresh", "runs", "alerts", "scheduler"]

_PATIENCE_S = 5.0


def alive(part: PartName) -> int:
    """Check whether the API, a worker or the scheduler works, for the health checks of containers.

    Returns
    -------
    int
        Exit status: 0 the part works; 1 the part does not work, or its state is unknown.
    """
    if part == "api":
        settings = configured()
        return DONE if _ready(settings) else FAILED
    settings = configured("REDIS_URL")
    # Imported here, because the frequent check of the API does not need it.
    from stowage.platform.jobs.errors import JobsError
    from stowage.platform.jobs.queue import Queue

    try:
        with Queue(str(settings.redis_url)) as queue:
            return DONE if part in queue.last_seen() else FAILED
    except JobsError as error:
        return failed(logs.mask(str(error)))


def _ready(settings: Settings) -> bool:
    try:
        status, _ = ask("127.0.0.1", settings.port, settings, "readiness")
    except OSError:
        return False
    return status == 200


def ask(hostname: str, port: int, settings: Settings, what: str) -> tuple[int, bytes]:
    """Return the HTTP status and the content of the local API's response to a request.

    Proxies that are set in the environment are bypassed.

    Raises
    ------
    OSError, http.client.HTTPException
        The API does not answer, or not as HTTP requires.
    """
    connection = http.client.HTTPConnection(hostname, port, timeout=_PATIENCE_S)
    try:
        # A host name that the API accepts; a wildcard also accepts localhost.
        host = settings.hosts[0].replace("*", "localhost")
        connection.request("GET", f"/api/v1/{what}", headers={"Host": host})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
