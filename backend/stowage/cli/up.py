"""`stowage up`: everything on this machine, in this process and the PostgreSQL that it starts."""

import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType

import click
import uvicorn
from pydantic import ValidationError

from stowage.api.app import create_app
from stowage.api.page import built_page
from stowage.api.services import Services
from stowage.settings import Settings
from stowage.store.database import Database
from stowage.store.embedded import DatabaseUrls, embedded_postgres
from stowage.store.errors import StoreError
from stowage.store.orgs import LOCAL_ORG_ID
from stowage.usecases.preparation import prepare_database

DONE, FAILED, BAD_SETTINGS = 0, 1, 2

_ADDRESS = "127.0.0.1"


def run() -> int:
    """Start everything, serve until SIGINT or SIGTERM, stop everything.

    Returns
    -------
    int
        Exit status: 0 stopped as asked; 1 something did not start; 2 a setting is not accepted.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            name = ".".join(str(part) for part in detail["loc"]) or "settings"
            click.echo(f"stowage: {name}: {detail['msg'].removeprefix('Value error, ')}", err=True)
        return BAD_SETTINGS
    try:
        listener = _listen(settings.port)
    except OSError as error:
        click.echo(f"stowage: port {settings.port} is taken ({error.strerror}): set STOWAGE_PORT to another", err=True)
        return FAILED
    with listener, _stop_on_sigterm():
        try:
            with _database_urls(settings) as urls:
                prepare_database(urls.owner, urls.application, LOCAL_ORG_ID)
                _serve(urls.application, listener)
        except StoreError as error:
            click.echo(f"stowage: {error}", err=True)
            return FAILED
        except KeyboardInterrupt:
            return DONE
    return DONE


def _listen(port: int) -> socket.socket:
    """Take the port before anything else is started: if it is not free, nothing has to be undone."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_ADDRESS, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _database_urls(settings: Settings) -> AbstractContextManager[DatabaseUrls]:
    if settings.database_url is not None and settings.migrations_database_url is not None:
        return nullcontext(DatabaseUrls(owner=settings.migrations_database_url, application=settings.database_url))
    return embedded_postgres(settings.home)


def _serve(application_url: str, listener: socket.socket) -> None:
    page = built_page()
    if page is None:
        click.echo("stowage: the page is not built (make setup builds it); serving the API only", err=True)
    _quiet_logs()
    database = Database(application_url)
    try:
        app = create_app(Services(database, LOCAL_ORG_ID), page)
        server = _Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=5, server_header=False))
        server.announce = f"Stowage is at http://{_ADDRESS}:{listener.getsockname()[1]}"
        server.run(sockets=[listener])
    finally:
        database.close()


class _Server(uvicorn.Server):
    """Says where it is once it answers, in one line."""

    announce = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            click.echo(f"{self.announce} (Ctrl-C stops it)")


@contextmanager
def _stop_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, so that what was started is stopped; further signals wait."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _quiet_logs() -> None:
    """Log warnings and errors, one line each; requests are not logged."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
