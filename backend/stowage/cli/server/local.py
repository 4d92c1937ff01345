"""The API and the page, served by forked processes."""

import ctypes
import gc
import logging
import os
import platform
import socket
from collections.abc import Callable, Sequence
from signal import SIGTERM
from threading import Event, Thread
from types import FrameType

import click
import uvicorn

from stowage.api.app import create_app
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
from stowage.web.services import Services

log = logging.getLogger(__name__)

_M_ARENA_MAX = -8
"""Of mallopt(3)."""

_GRACE_S = 5
"""How long open requests may take to end."""

_LARGEST_HEAD_BYTES = 16_384
"""Of the lines before a body, until their end is received; browsers send less."""
_IDLE_S = 10
"""How long a connection may wait for its next request; the proxy's own is reused meanwhile."""


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
    """Serve until SIGTERM or SIGINT, which are raised again behind that.

    The first process that answers is forked as soon as the application is built, and looks up what answers need while
    the page is on its way; so does this process, and those that it forks from then on have it.

    Parameters
    ----------
    settings : Settings
        Which hosts, how many processes, when the catalog is refreshed.
    database_url, gate_url, redis_url : str
        As the application's role, as the auth role; the tables are there.
    listener : socket.socket
    answering : callable
        Called once, when requests are answered; returns what to fork besides then.
    begin : callable
        Called in each process that answers with its number, from 1, before it does: sets where its logs go.
    say : callable
        Called with a line that tells what was started again.

    Raises
    ------
    JobsError, ChildFailed
        The address of Redis is none; a forked process does not stay up.
    """
    _share_memory()
    _send_at_once(listener)
    services = _services(settings, database_url, gate_url, redis_url)
    config = _config(settings, services)
    # Garbage collection writes to what it looks through, which would then no longer be shared, and looking through a
    # catalog of 200,000 objects takes 40 ms in the middle of an answer.
    gc.freeze()
    gc.enable()
    looked_ahead = Event()

    def serving(number: int) -> Fork:
        return _serving(number, config, services, listener, begin, looked_ahead)

    def others() -> Sequence[Fork]:
        forks = answering()
        try:
            _look_ahead(services)
        finally:
            # A fork opens connections of its own.
            _close(services)
        looked_ahead.set()
        gc.freeze()
        return [*(serving(number) for number in range(2, settings.api_processes + 1)), *forks]

    run_forks([serving(1)], others, say)


def _share_memory() -> None:
    """Have threads share what the C library sets aside: each keeps what its largest question took, otherwise.

    Four users at once would hold on to twice as much as one; only the GNU library does so, and lets itself be told.
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _look_ahead(services: Services) -> None:
    """Load catalog and search data before the fork, so that processes share it and no request waits."""
    try:
        planning.get_ready(published_knowledge(services.database))
    except (StoreError, BadInput) as error:
        # Reported when requested; that no request has come yet is no reason to report it.
        log.info("nothing was looked up ahead: %s", error)


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
    """Close all connections; later use opens new ones."""
    services.database.close()
    services.gate.close()
    services.queue.close()


def _provider(settings: Settings) -> Provider | None:
    """Know the OpenID provider, if there is one; it is not contacted before the first sign-in."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    # Imported here: it takes a third of a second, of which only they should pay who have a provider.
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
    """Server that reports readiness, and ends event streams before it waits for connections at shutdown."""

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


def _config(settings: Settings, services: Services) -> uvicorn.Config:
    """Build the application, with the page if that is built, and configure uvicorn."""
    page = built_page()
    if page is None:
        click.echo("stowage: the page is not built (make setup builds it); serving the API only", err=True)
    return uvicorn.Config(
        create_app(services, page, settings.hosts, shared=settings.api_processes > 1),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        # Any program on this machine could write them: believed only where a proxy is named.
        proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
        http=Connection,
        h11_max_incomplete_event_size=_LARGEST_HEAD_BYTES,
        timeout_keep_alive=_IDLE_S,
        limit_concurrency=most_connections(),
    )


def _serving(
    number: int,
    config: uvicorn.Config,
    services: Services,
    listener: socket.socket,
    begin: Callable[[int], None],
    looked_ahead: Event,
) -> Fork:
    """Return the fork of an API process, which looks up what answers need unless that is done."""

    def work(started: Callable[[], None]) -> None:
        begin(number)

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
    """Set TCP_NODELAY, which connections inherit.

    Otherwise the kernel holds the last part of an answer back until the first is acknowledged, 40 ms later. asyncio
    would set it if this socket named its protocol.
    """
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
