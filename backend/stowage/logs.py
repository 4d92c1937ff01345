"""Logs: one shape for our records and for those of uvicorn, Celery and everything else that logs.

Every module logs through the standard library (`logging.getLogger(__name__)`), with fields in ``extra``; this
module decides how a record looks and where it goes, and the edges (API, CLI, worker) call it. Two things never
get into a log: passwords and other secrets, which are masked everywhere, and unexpected fields,
since only those in `FIELDS` are taken from ``extra``: Celery, for one, hands the arguments of its tasks along.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from hashlib import sha256
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from uuid import UUID

LogFormat = Literal["text", "json"]

FIELDS = (
    "request_id",
    "org",
    "job_id",
    "part",
    "method",
    "path",
    "status",
    "duration_s",
    "task",
    "queue",
    "attempt",
)
"""What a record may say beside its time, level, logger, event and exception; in this order."""

_context: ContextVar[Mapping[str, object]] = ContextVar("_context", default=MappingProxyType({}))
"""Fields of the current request or job, added to each of its records."""

LARGEST_FILE_BYTES = 10_000_000
_KEPT_FILES = 2

_CHATTY = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
"""They tell of each message that comes and goes, every two seconds at least; of these only warnings are kept."""

_MASK = "***"

_WORD = re.compile(r"\S+")
_BEFORE_PASSWORD = re.compile(r"://[^:/@]*:")
_NAMED_SECRET = re.compile(
    r"""(\b[\w-]{0,30}(?:password|passwd|secret|token|api[-_]?key)['"]?\s?[=:]\s?)('[^']*'|"[^"]*"|[^\s&,;]+)""",
    re.IGNORECASE,
)
"""A secret that is given by name: in the options of an address, in a PostgreSQL connection string, in a header."""
_SIGNED_IN = re.compile(r"""((?:set-)?cookie['"]?\s?[=:]\s?|authorization['"]?\s?[=:]\s?).+""", re.IGNORECASE)
"""A header with credentials, to the end of its line."""
_KNOWN_SECRET = re.compile(
    r"""(\bstw_)[A-Za-z0-9_-]+  # a token
    |(\bBearer\s)\S+
    |(/(?:s|shared)/)[A-Za-z0-9_-]{20,}  # a share link
    |(\#)[A-Za-z0-9_-]{40,}  # a one-time link
    |(\b(?:__Host-|__Secure-)?stowage[a-z0-9-]{0,40}=)[^\s;,'"]+  # a cookie by its name
    |(\$argon2id\$)[^\s'"]+""",
    re.VERBOSE,
)
"""A secret of our own making, known by how it begins or where it stands."""


def configure(log_format: LogFormat, file: Path | None = None) -> None:
    """Send the records of this process where they belong; may be called again, and the last call holds.

    Parameters
    ----------
    log_format : {"text", "json"}
        ``text``: warnings and errors on standard error, a line each, for people. ``json``: everything from
        ``info`` on standard output, a JSON object a line, for machines.
    file : Path or None
        Also write what ``json`` would print to this file, which only its owner can read: at most three times
        `LARGEST_FILE_BYTES`, the oldest goes. One process may write to a file, not several.

    Raises
    ------
    OSError
        The folder of the file cannot be made.
    """
    handlers: list[logging.Handler] = [_stream_handler(log_format)]
    if file is not None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = _PrivateFile(file, maxBytes=LARGEST_FILE_BYTES, backupCount=_KEPT_FILES, encoding="utf-8", delay=True)
        kept.setFormatter(_Formatter(_as_json))
        handlers.append(kept)
    logging.basicConfig(level=min(_level_of(handler) for handler in handlers), handlers=handlers, force=True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    # For machines Python's own warnings are records like all others; people read them as Python writes them.
    logging.captureWarnings(log_format == "json")


def team(org_id: UUID) -> str:
    """Return the name of an organisation in logs: always the same, and no way back to its id.

    No key is needed for that: ids are random, so there is nothing to try out. The id of the one local team is in
    the code and hides no identity.
    """
    return sha256(b"stowage log\0" + org_id.bytes).hexdigest()[:12]


@contextmanager
def request_context(request_id: str) -> Iterator[None]:
    """Name the request in every record of the block, in each of its threads and tasks."""
    with _bound(request_id=request_id):
        yield


def bind_team(org_id: UUID) -> None:
    """Name the team in what follows of a request, as soon as it is known whose the request is.

    To be called where the request itself runs: what a thread of it binds ends with the thread.
    """
    _context.set({**_context.get(), "org": team(org_id)})


@contextmanager
def job_context(org_id: UUID, job_id: UUID, part: str | int | None = None) -> Iterator[None]:
    """Name the job, and the part of it that is worked on, in every record of the block.

    Parameters
    ----------
    org_id, job_id : UUID
        Whose job, and which.
    part : str or int or None
        Which piece of a job that was divided.
    """
    with _bound(org=team(org_id), job_id=str(job_id), **({} if part is None else {"part": part})):
        yield


@contextmanager
def _bound(**fields: object) -> Iterator[None]:
    token = _context.set({**_context.get(), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def mask(text: str) -> str:
    """Hide the passwords in a text.

    >>> mask("no connection to postgresql://app:s3cr@t/x@db:5432/stowage as app")
    'no connection to postgresql://app:***@db:5432/stowage as app'
    >>> mask("host=db password=s3cret user=app")
    'host=db password=*** user=app'
    >>> mask("GET /s/0123456789012345678901234567890 with Bearer stw_abc")
    'GET /s/*** with Bearer ***'
    """
    text = _SIGNED_IN.sub(rf"\g<1>{_MASK}", text)
    text = _KNOWN_SECRET.sub(lambda found: f"{found[found.lastindex or 0]}{_MASK}", text)
    return _NAMED_SECRET.sub(rf"\g<1>{_MASK}", _WORD.sub(_without_password, text))


def _without_password(match: re.Match[str]) -> str:
    """Hide what stands between the user of an address and the last @ of the word.

    A password may hold an unescaped @ or /, and to hide too much of a line is better than to show
    half a password. Word by word and not by one expression: what is logged may be long, and none of our making.
    """
    word = match[0]
    before = _BEFORE_PASSWORD.search(word)
    end = word.rfind("@")
    return word if before is None or end < before.end() else f"{word[: before.end()]}{_MASK}{word[end:]}"


class _PrivateFile(RotatingFileHandler):
    """A file for its owner only, from the moment it exists."""

    def _open(self) -> TextIOWrapper:
        # Permissions are set when the file is created; rotation creates it again.
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode=0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def _stream_handler(log_format: LogFormat) -> logging.Handler:
    if log_format == "json":
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(_Formatter(_as_json))
    else:
        handler = logging.StreamHandler(sys.stderr)
        handler.setLevel(logging.WARNING)
        handler.setFormatter(_Formatter(_as_text))
    return handler


def _level_of(handler: logging.Handler) -> int:
    return handler.level or logging.INFO


def _masked(value: object) -> object:
    """Mask the texts of a value, however deep."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {str(name): _masked(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(inner) for inner in value]
    return value if isinstance(value, int | float | None) else mask(str(value))


class _Formatter(logging.Formatter):
    """Formats a record: time, level, logger, event and `FIELDS`, in this order, with secrets masked."""

    def __init__(self, render: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        given = {**_context.get(), **vars(record)}
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **{name: given[name] for name in FIELDS if name in given},
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            said["stack"] = record.stack_info
        return self._render({name: _masked(value) for name, value in said.items()})


def _as_json(said: Mapping[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False)


def _as_text(said: Mapping[str, Any]) -> str:
    """Write a line for people: the clock, what happened, its fields; the trace below it where there is one."""
    fields = " ".join(f"{name}={said[name]}" for name in FIELDS if name in said)
    event = " ".join(str(said["event"]).split())
    line = f"{said['time'][11:19]}Z {said['level'].upper()} {said['logger']}: {event} {fields}".rstrip()
    return "\n".join([line, *(str(said[name]) for name in ("exception", "stack") if name in said)])
