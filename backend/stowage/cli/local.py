"""The API and the page of one machine, served by copies of this process."""

import ctypes
import gc
import logging
import os
import platform
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

import click
import uvicorn

from stowage.api.app import create_app
from stowage.api.page import built_page
from stowage.api.services import Services
from stowage.cli.connections import Connection
from stowage.cli.mailing import mailer_of
from stowage.jobs.queue import Queue
from stowage.processes.copies import Copies
from stowage.settings import Settings
from stowage.store.database import Database
from stowage.store.errors import StoreError
from stowage.usecases import planning
from stowage.usecases.catalogues import published_knowledge
from stowage.usecases.errors import BadInput
from stowage.usecases.outside import Provider
from stowage.usecases.refresh import Schedule

log = logging.getLogger(__name__)

_M_ARENA_MAX = -8
"""Of mallopt(3)."""

_GRACE_S = 5
"""How long open requests may take to end."""

_LARGEST_HEAD_BYTES = 16_384
"""Of the lines before a body, as long as their end has not come; whoever sends more is not a browser of ours."""
_IDLE_S = 10
"""How long a connection may wait for its next request; the proxy's own is reused meanwhile."""
_MOST_AT_ONCE = 200
"""Connections of one copy; whoever comes beyond is told to try again (503)."""


def serve(
    settings: Settings,
    database_url: str,
    gate_url: str,
    redis_url: str,
    listener: socket.socket,
    answering: Callable[[], None],
    begin: Callable[[int], None],
    say: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT, which are raised again behind that.

    What first answers need is looked up before: all copies have it then, and nobody waits for it.

    Parameters
    ----------
    settings : Settings
        Which hosts, how many copies, when the catalogue is refreshed.
    database_url : str
        As the application's role; the tables are there.
    gate_url : str
        As the gate's role.
    redis_url : str
    listener : socket.socket
    answering : callable
        Called once, when requests are answered.
    begin : callable
        Called in each copy with its number, from 1, before it serves: says where its records go.
    say : callable
        Is told, in one line, that a copy was started again.

    Raises
    ------
    JobsError
        The address of Redis is none.
    ChildFailed
        A copy does not stay up.
    """
    page = built_page()
    if page is None:
        click.echo("stowage: the page is not built (make setup builds it); serving the API only", err=True)
    _share_memory()
    # Otherwise the kernel keeps the last part of an answer back until the first is acknowledged, 40 ms later. asyncio
    # would see to it if this socket named its protocol. Connections inherit it.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with _services(settings, database_url, gate_url, redis_url) as services:
        _look_ahead(services)

    def work(number: int, started: Callable[[], None]) -> None:
        begin(number)
        # Connections are a copy's own.
        with _services(settings, database_url, gate_url, redis_url) as services:
            config = uvicorn.Config(
                create_app(services, page, settings.hosts, shared=settings.api_processes > 1),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                # Believed only where it was said whom to believe: anybody on this machine could write them otherwise.
                proxy_headers=bool(os.environ.get("FORWARDED_ALLOW_IPS")),
                http=Connection,
                h11_max_incomplete_event_size=_LARGEST_HEAD_BYTES,
                timeout_keep_alive=_IDLE_S,
                limit_concurrency=_MOST_AT_ONCE,
            )
            _Server(config, started, services.stopping).run(sockets=[listener])

    Copies("the API", settings.api_processes, work, say, 2.0 * _GRACE_S).run(answering)


def _share_memory() -> None:
    """Have threads share what the C library sets aside: each keeps what its largest question took, otherwise.

    Four users at once would hold on to twice as much as one; only the GNU library does so, and lets itself be told.
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _look_ahead(services: Services) -> None:
    """Have what answers rest on in memory before somebody waits for it, and out of the garbage collector's way.

    A catalogue is some 200,000 objects that stay: to look through them takes 40 ms, in the middle of an answer. What
    is looked through is written to, and copies of this process would share it no more.
    """
    try:
        planning.get_ready(published_knowledge(services.database))
    except (StoreError, BadInput) as error:
        # Whoever asks is told; that nobody has asked yet is no reason to say so.
        log.info("nothing was looked up ahead: %s", error)
    gc.collect()
    gc.freeze()


@contextmanager
def _services(settings: Settings, database_url: str, gate_url: str, redis_url: str) -> Iterator[Services]:
    database, gate = Database(database_url), Database(gate_url)
    try:
        with Queue(redis_url) as queue:
            yield Services(
                database,
                gate,
                queue,
                refresh=Schedule(settings.refresh_every_s, settings.refresh_regions),
                mail=mailer_of(settings),
                provider=_provider(settings),
                public_url=settings.public_url,
                aws_principal=settings.aws_principal,
                pace=settings.pace,
            )
    finally:
        database.close()
        gate.close()


def _provider(settings: Settings) -> Provider | None:
    """Know the OpenID provider, if there is one; it is asked for nothing before somebody signs in there."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    # Imported here: it takes a third of a second, of which only they should pay who have a provider.
    from stowage.api.provider import OidcProvider  # noqa: PLC0415 - see above

    secret = settings.oidc_client_secret
    return OidcProvider(
        settings.oidc_issuer,
        settings.oidc_client_id,
        None if secret is None else secret.get_secret_value(),
        settings.oidc_name,
    )


class _Server(uvicorn.Server):
    """Says that it answers, and tells streams of events that it is asked to stop before it waits for them."""

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
