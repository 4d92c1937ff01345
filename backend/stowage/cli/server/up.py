"""`stowage up`: all services on this machine.

One process imports the modules, then forks the API processes and the workers.
"""

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click

from stowage import logs
from stowage.cli.addresses import address_of, sign_in_address, told_link
from stowage.cli.server.configuration import configured
from stowage.cli.server.running import remove_running, write_running
from stowage.cli.statuses import BAD_INPUT, DONE, FAILED
from stowage.platform.database.embedded import DatabaseUrls, start_postgres
from stowage.platform.database.errors import StoreError
from stowage.platform.jobs.embedded import start_redis
from stowage.platform.jobs.errors import JobsError
from stowage.processes.errors import ChildFailed, ProcessError, StateUnusable
from stowage.processes.forks import Fork, in_fork
from stowage.processes.sockets import listen
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor
from stowage.settings import Settings

_DATABASES = ("database_url", "gate_database_url", "migrations_database_url")
"""Settings that a forked process gets only if it needs them."""


class _Stopped(SystemExit):
    """A signal asked `stowage up` to stop.

    KeyboardInterrupt is not used: if it passes through generated code, such as that of dataclasses during imports,
    Python exits by SIGINT in the end, even if the exception was caught.
    """


def run() -> int:
    """Start everything, serve until SIGINT, SIGTERM or SIGHUP, stop everything.

    Returns
    -------
    int
        Exit status: 0 stopped on request; 1 a process did not start or keeps failing; 2 a setting is invalid.
    """
    settings = configured()
    if settings.database_url is not None:
        for name, url, what_for in (
            ("MIGRATIONS_DATABASE_URL (the owner's role)", settings.migrations_database_url, "to migrate the tables"),
            ("GATE_DATABASE_URL (the gate's role)", settings.gate_database_url, "to find out who asks"),
        ):
            if url is None:
                _say(f"DATABASE_URL needs {name} beside it, {what_for}")
                return BAD_INPUT
    try:
        # Before anything else starts, so that nothing must be stopped if the port is in use.
        listener = listen(settings.bind, settings.port)
    except OSError as error:
        _say(_not_listening(settings, error))
        return FAILED
    logs.configure(settings.log)
    given_up: list[ChildFailed] = []

    def give_up(failure: ChildFailed) -> None:
        given_up.append(failure)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)

    with listener:
        _stop_by_signals(stopped := threading.Event())
        try:
            with (
                sole_use(settings.home) as home,
                _room_for_logs(home),
                Supervisor(_say, give_up) as supervisor,
                _undisturbed_end(),
            ):
                logs.configure(settings.log, home / "log" / "api.log")
                _run_on(home, settings, listener, supervisor, stopped)
        except (StoreError, JobsError, ProcessError) as error:
            _say(logs.mask(str(error)))
            return FAILED
        except _Stopped:
            pass
    for failure in given_up:
        _say(f"{failure}\nstowage: everything was stopped")
    return FAILED if given_up else DONE


def _say(line: str) -> None:
    click.echo(f"stowage: {line}", err=True)


def _not_listening(settings: Settings, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {settings.port} is taken ({os.strerror(error.errno)}): set STOWAGE_PORT to another"
    return (
        f"cannot listen on {settings.bind} port {settings.port} ({error.strerror}): "
        "set STOWAGE_BIND and STOWAGE_PORT to what this machine has"
    )


def _stop_by_signals(stopped: threading.Event) -> None:
    """Make SIGINT, SIGTERM and SIGHUP raise `_Stopped` in the main thread.

    Only the first signal has an effect; further ones are ignored. Under nohup, SIGHUP stays ignored.

    Parameters
    ----------
    stopped : Event
        Set by the first signal. If its exception is lost, `_go_on` raises the exception again.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        stopped.set()
        _ignore_signals()
        raise _Stopped

    tell_lost = sys.unraisablehook
    # `_go_on` raises a lost exception again: print neither its traceback nor warnings about files it left open.
    sys.unraisablehook = lambda lost: (
        None if stopped.is_set() and lost.exc_type in {_Stopped, ResourceWarning} else tell_lost(lost)
    )
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # under nohup it stays ignored
        # Handled by the current handler of SIGTERM.
        signal.signal(signal.SIGHUP, lambda _number, _frame: signal.raise_signal(signal.SIGTERM))


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _undisturbed_end() -> Iterator[None]:
    """Ignore SIGINT, SIGTERM and SIGHUP after the block, so that they do not interrupt the shutdown."""
    try:
        yield
    finally:
        _ignore_signals()


@contextmanager
def _room_for_logs(home: Path) -> Iterator[None]:
    """Create the log folder, and remove `running.json` before and after the block.

    Before the block the file is that of an earlier process, after the block that of this process.
    """
    try:
        (home / "log").mkdir(mode=0o700, exist_ok=True)
        remove_running(home)
    except OSError as error:
        raise StateUnusable(f"the folder {home} cannot hold the state of this machine: {error}") from error
    try:
        yield
    finally:
        with suppress(OSError):  # a stale file is harmless: see `running`
            remove_running(home)


def _go_on(stopped: threading.Event) -> None:
    """Raise `_Stopped` if a signal to stop was received.

    The signal has raised `_Stopped` before, but that exception may have been lost, for example in a finalizer.
    """
    if stopped.is_set():
        raise _Stopped


def _run_on(
    home: Path, settings: Settings, listener: socket.socket, supervisor: Supervisor, stopped: threading.Event
) -> None:
    """Start the servers in their order, and serve until a signal.

    Redis and PostgreSQL come first, unless the settings have their URLs. The API follows, and the workers start when
    the page answers.
    """
    redis = start_redis(supervisor, home) if settings.redis_url is None else None
    postgres = start_postgres(supervisor, home) if settings.database_url is None else None
    # Imported while the servers start.
    from stowage.cli.keys import keyring_of, with_local_key
    from stowage.cli.server.local import serve
    from stowage.cli.server.preparation import prepare_database

    _go_on(stopped)
    redis_url = str(settings.redis_url) if redis is None else redis.url()
    urls = (
        DatabaseUrls(
            owner=str(settings.migrations_database_url),
            application=str(settings.database_url),
            gate=str(settings.gate_database_url),
        )
        if postgres is None
        else postgres.urls()
    )
    settings = with_local_key(settings, home)
    # All processes would share the catalogs, and what migrations import, for as long as they run.
    is_first_start = in_fork(lambda: prepare_database(urls.owner, urls.application, urls.gate, keyring_of(settings)))
    _go_on(stopped)
    address = address_of(settings.bind, listener.getsockname()[1])
    for name in _DATABASES:
        os.environ.pop(name.upper(), None)
    settings = settings.model_copy(update=dict.fromkeys(_DATABASES))

    def answering() -> Sequence[Fork]:
        _go_on(stopped)
        link = _sign_in_link(urls.gate, address)
        write_running(home, address, listener.getsockname()[1], urls, redis_url)
        click.echo(f"Stowage is at {address} (stop it with Ctrl-C or: kill {os.getpid()})")
        # Not to the log, whose readers must not be able to sign in.
        click.echo(told_link(link))
        if is_first_start and settings.example == "on":
            queue_example(urls.application, redis_url)
        # Imported after the page answers.
        from stowage.cli.server.background import local_workers

        return local_workers(settings, urls.application, urls.gate, redis_url, home / "log", listener.close)

    def begin(number: int) -> None:
        # Two processes cannot rotate the same log file.
        logs.configure(settings.log, home / "log" / f"api-{number}.log")

    serve(settings, urls.application, urls.gate, redis_url, listener, answering, begin, _say)


def _sign_in_link(gate_url: str, address: str) -> str:
    """Create a one-time sign-in link for the operator, used instead of an initial password (as in Jupyter)."""
    from stowage.features.teams.operators import make_sign_in_link
    from stowage.platform.database.database import Database

    with closing(Database(gate_url, pool_size=1)) as gate:
        return sign_in_address(address, make_sign_in_link(gate, None, datetime.now(UTC)))


def queue_example(database_url: str, redis_url: str) -> None:
    """Queue the job that loads the example team, so that the first visitor finds it."""
    from stowage.example import load_in_background
    from stowage.platform.database.database import Database
    from stowage.platform.jobs.queue import Queue

    with closing(Database(database_url, pool_size=1)) as database, Queue(redis_url) as queue:
        load_in_background(database, queue, datetime.now(UTC))
