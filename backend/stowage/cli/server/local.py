"""Server of the API and the page: forked processes, each with uvicorn."""

import ctypes
import gc
import logging
import os
import platform
import socket
import sys
from collections.abc import Callable, Sequence
from signal import SIGTERM
from threading import Event, Thread
from types import FrameType

import click
import uvicorn

from stowage.api.app import create_app
from stowage.api.in_progress import InProgress
from stowage.api.page import built_page
from stowage.catalog.schedule import Schedule
from stowage.cli.keys import keyring_of
from stowage.cli.server.connections import Connection, most_connections
from stowage.cli.server.mailing import mailer_of
from stowage.features.catalog.catalogs import published_knowledge
from stowage.features.planning import planning
from stowage.platform.database.database import Database
from stowage.platform.database.errors import StoreError
from stowage.platform.errors import BadInput
from stowage.platform.jobs.queue import Queue
from stowage.platform.outside import Provider
from stowage.processes.forks import Fork, run_forks
from stowage.settings import Settings
from stowage.web.limits import LARGEST_HEAD_BYTES
from stowage.web.services import Services

log = logging.getLogger(__name__)

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""

_RETURNED_BYTES = 12 << 20
"""Blocks of memory of this size or above are returned to the system when they are freed.

A search allocates up to 5 MB at once. With a smaller size each preview would get 500 to 1,000 pages from the system
again, which takes a tenth of its CPU time.
"""

_IS_GLIBC = platform.libc_ver()[0] == "glibc"

_SWITCH_S = 0.001
"""Longest time for which a thread keeps the interpreter while another waits for it [s]. A request passes it on a dozen
times (to PostgreSQL, Redis and the event loop). At Python's 5 ms it would wait each time for another computation."""

_GRACE_S = 5
"""Time for open requests to finish at shutdown [s]."""

_IDLE_S = 10
"""Keep-alive timeout of a connection [s]."""


def serve(
    settings: Settings,
    database_url: str,
    gate_url: str,
    redis_url: str,
    listener: socket.socket,
    answering: Callable[[], Sequence[Fork]],
    begin: Callable[[int], None],
    say: Callable[[str], None],
) -> None:
    """Serve the API and the page until SIGTERM or SIGINT, and raise the signal again after the shutdown.

    The first API process is forked as soon as the application is built, and loads the catalog while it delivers the
    page. This process loads the catalog too, so that later forks share it.

    Parameters
    ----------
    settings : Settings
        Settings, including hosts, number of processes and schedule of catalog refreshes.
    database_url, gate_url, redis_url : str
        URLs for the application's role, for the auth role, and of Redis; the tables must exist.
    listener : socket.socket
    answering : callable
        Called once, when requests are answered; returns further processes to fork.
    begin : callable
        Called in each API process with its number, from 1, before it serves; sets up its log.
    say : callable
        Called with a message for each restarted process.

    Raises
    ------
    JobsError, ChildFailed
        The address of Redis is invalid, or a forked process keeps failing, respectively.
    """
    share_memory()
    _send_at_once(listener)
    services = _services(settings, database_url, gate_url, redis_url)
    in_progress = InProgress(settings.api_processes)
    config = _config(settings, services, in_progress)
    _collect_seldom()
    looked_ahead = Event()

    def serving(number: int) -> Fork:
        return _serving(number, config, services, listener, begin, in_progress, looked_ahead)

    def others() -> Sequence[Fork]:
        forks = answering()
        try:
            _look_ahead(services)
        finally:
            # Each fork opens its own connections.
            _close(services)
        looked_ahead.set()
        gc.freeze()
        return [*(serving(number) for number in range(2, settings.api_processes + 1)), *forks]

    run_forks([serving(1)], others, say)


def _collect_seldom() -> None:
    """Exclude all present objects from garbage collection, and set how often the others are collected."""
    # Garbage collection would write to shared memory pages and so copy them, and a collection over a catalog of
    # 200,000 objects would delay an answer by 40 ms.
    gc.freeze()
    gc.enable()
    # An answer has thousands of objects, and none of them in a cycle. Looking for cycles after every 700 took as long
    # as building a saved plan.
    gc.set_threshold(20_000)


def share_memory() -> None:
    """Limit glibc to two memory arenas for all threads, and have it return large blocks of memory.

    By default each thread has an arena of its own, which keeps the peak memory of the thread's requests. Then four
    concurrent users would use twice as much memory as one. After a large block is freed, glibc by default takes blocks
    of this size from the arenas, which then keep the peak memory of searches. Other C libraries do not need this.
    """
    if _IS_GLIBC:
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, 2)
        libc.mallopt(_M_TRIM_THRESHOLD, _RETURNED_BYTES)
        libc.mallopt(_M_MMAP_THRESHOLD, _RETURNED_BYTES)


def _look_ahead(services: Services) -> None:
    """Load the catalog in advance.

    So no request waits for it, and processes that are forked later share its memory.
    """
    try:
        planning.get_ready(published_knowledge(services.database))
    except (StoreError, BadInput) as error:
        # Not an error yet: the first request that needs the data reports it.
        log.info("cannot load the catalog in advance: %s", error)
    if _IS_GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def _services(settings: Settings, database_url: str, gate_url: str, redis_url: str) -> Services:
    return Services(
        Database(database_url, keyring=keyring_of(settings)),
        Database(gate_url, keyring=keyring_of(settings)),
        Queue(redis_url),
        refresh=Schedule(settings.refresh_every_s, settings.refresh_regions),
        mail=mailer_of(settings),
        provider=_provider(settings),
        passwords=settings.passwords == "on",
        public_url=settings.public_url,
        aws_principal=settings.aws_principal,
        pace=settings.pace,
    )


def _close(services: Services) -> None:
    """Close the connections to the databases and Redis.

    A later use of the services opens new connections.
    """
    services.database.close()
    services.gate.close()
    services.queue.close()


def _provider(settings: Settings) -> Provider | None:
    """Return a client of the OpenID provider in the settings; None if the settings name no provider.

    The client contacts the provider at the first sign-in.
    """
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    # Imported here, because the import takes a third of a second and only a provider needs it.
    from stowage.api.provider import OidcProvider

    secret = settings.oidc_client_secret
    return OidcProvider(
        settings.oidc_issuer,
        settings.oidc_client_id,
        None if secret is None else secret.get_secret_value(),
        settings.oidc_name,
        requests_refresh_tokens=settings.oidc_refresh == "on",
    )


class _Server(uvicorn.Server):
    """uvicorn server that reports its start, and ends event streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, answering: Callable[[], None], stopping: Event) -> None:
        super().__init__(config)
        self._answering = answering
        self._stopping = stopping

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._answering()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.set()
        super().handle_exit(sig, frame)


def _config(settings: Settings, services: Services, in_progress: InProgress) -> uvicorn.Config:
    """Return uvicorn's configuration with the application.

    The application serves the page if the page was built, else the API only.
    """
    page = built_page()
    if page is None:
        click.echo("stowage: the page is not built (make setup builds it); serving the API only", err=True)
    return uvicorn.Config(
        create_app(services, page, settings.hosts, in_progress),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        # Any local program could set these headers, so they are trusted only if a proxy is configured.
        proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
        http=Connection,
        h11_max_incomplete_event_size=LARGEST_HEAD_BYTES,
        timeout_keep_alive=_IDLE_S,
        limit_concurrency=most_connections(),
    )


def _serving(
    number: int,
    config: uvicorn.Config,
    services: Services,
    listener: socket.socket,
    begin: Callable[[int], None],
    in_progress: InProgress,
    looked_ahead: Event,
) -> Fork:
    """Return the description of an API process to fork.

    The process loads the catalog unless it inherits a loaded one, i.e. unless `looked_ahead` is set at the fork.
    """

    def work(started: Callable[[], None]) -> None:
        begin(number)
        in_progress.serve_as(number)
        sys.setswitchinterval(_SWITCH_S)

        def at_work() -> None:
            started()
            if not looked_ahead.is_set():
                Thread(target=_look_ahead, args=(services,), daemon=True).start()

        try:
            _Server(config, at_work, services.stopping).run(sockets=[listener])
        finally:
            _close(services)

    return Fork("the API", f"stowage api {number}", work, stop_by=((SIGTERM, 2.0 * _GRACE_S),))


def _send_at_once(listener: socket.socket) -> None:
    """Set TCP_NODELAY on a listening socket, from which connections inherit it.

    Without TCP_NODELAY the kernel delays the last part of a response until the first part is acknowledged, 40 ms
    later. asyncio sets it only on sockets that were created with the protocol number of TCP.
    """
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
