"""Logging: one format for our records and for those of uvicorn, Celery and other libraries.

Every module logs through the standard library (`logging.getLogger(__name__)`), with fields in ``extra``. This module
defines the format and the destination of the records. API, CLI and worker call `configure` when they start.

Two things are never logged: secrets, which are masked, and fields other than those in `FIELDS`. Celery, for example,
adds the arguments of its tasks to ``extra``.
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
"""Fields of a record besides time, level, logger, event and exception, in this order."""

_context: ContextVar[Mapping[str, object]] = ContextVar("_context", default=MappingProxyType({}))
"""Fields of the current request or job, added to each of its records."""

LARGEST_FILE_BYTES = 10_000_000
_KEPT_FILES = 2

_CHATTY = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
"""Loggers with a record for every message, at least every two seconds; only their warnings are logged."""

_MASK = "***"

_WORD = re.compile(r"\S+")
_BEFORE_PASSWORD = re.compile(r"://[^:/@]*:")
_NAMED_SECRET = re.compile(
    r"""(\b[\w-]{0,30}(?:password|passwd|secret|token|api[-_]?key)['"]?\s?[=:]\s?)('[^']*'|"[^"]*"|[^\s&,;]+)""",
    re.IGNORECASE,
)
"""A secret after its name: in the query of a URL, in a PostgreSQL connection string, in a header."""
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
"""A secret that Stowage issued, recognized by its prefix or its place."""


def configure(log_format: LogFormat, file: Path | None = None) -> None:
    """Set the format and the destination of this process's log.

    A later call replaces the settings of an earlier one.

    Parameters
    ----------
    log_format : {"text", "json"}
        ``text``: warnings and errors on standard error, one per line, for people. ``json``: everything from
        ``info`` on standard output, one JSON object per line, for machines.
    file : Path or None
        File to which the output of ``json`` is also written, readable only by its owner. The file is rotated, and all
        files together have at most three times `LARGEST_FILE_BYTES`. Only one process may write to a file.

    Raises
    ------
    OSError
        The folder of the file cannot be created.
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
    # In JSON, Python's own warnings are records too; in text they keep Python's format.
    logging.captureWarnings(log_format == "json")


def team(org_id: UUID) -> str:
    """Return the pseudonym of a team in logs, which is a hash of its id.

    The hash needs no secret key, because ids are random and cannot be guessed. The id of the local team is a constant
    in the code, but it identifies no person.
    """
    return sha256(b"stowage log\0" + org_id.bytes).hexdigest()[:12]


@contextmanager
def request_context(request_id: str) -> Iterator[None]:
    """Add the request id to every record within the block, including records of its threads and tasks."""
    with _bound(request_id=request_id):
        yield


def bind_team(org_id: UUID) -> None:
    """Add the team to all further records of the current request.

    It must be called in the asyncio task that handles the request. In a thread, it would affect only the records of
    that thread.
    """
    _context.set({**_context.get(), "org": team(org_id)})


@contextmanager
def job_context(org_id: UUID, job_id: UUID, part: str | int | None = None) -> Iterator[None]:
    """Add the job and its part to every record within the block.

    Parameters
    ----------
    org_id, job_id : UUID
        Team of the job, and the job.
    part : str or int or None
        Number of the part, for jobs that are divided.
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
    """Return a text with its passwords and other secrets masked.

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
    """Return a word that contains a URL, with the password masked.

    All text from the user name up to the last @ of the word is masked. A password may contain an unescaped @ or /, and
    it is better to mask too much than to show half a password. Words are processed one by one, because one regular
    expression over a long text from outside could take too long.
    """
    word = match[0]
    before = _BEFORE_PASSWORD.search(word)
    end = word.rfind("@")
    return word if before is None or end < before.end() else f"{word[: before.end()]}{_MASK}{word[end:]}"


class _PrivateFile(RotatingFileHandler):
    """Handler that writes to a rotated log file which only its owner can read."""

    _formatted: tuple[logging.LogRecord | None, str] = (None, "")

    def format(self, record: logging.LogRecord) -> str:
        """Format a record once: it is formatted for its size, and again to be written."""
        if self._formatted[0] is not record:
            self._formatted = record, super().format(record)
        return self._formatted[1]

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
    """Return a value with the secrets masked in all its texts, at any depth."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {str(name): _masked(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(inner) for inner in value]
    return value if isinstance(value, int | float | None) else mask(str(value))


class _Formatter(logging.Formatter):
    """Formatter of log records.

    A record has time, level, logger, event and `FIELDS`, in this order, with secrets masked.
    """

    def __init__(self, render: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        given = {**_context.get(), **vars(record)}
        ours = {
            "time": datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "level": record.levelname.lower(),
        }
        said = {
            "logger": record.name,
            "event": record.getMessage(),
            **{name: given[name] for name in FIELDS if name in given},
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            said["stack"] = record.stack_info
        return self._render({**ours, **{name: _masked(value) for name, value in said.items()}})


def _as_json(said: Mapping[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False)


def _as_text(said: Mapping[str, Any]) -> str:
    """Format a record as a line for people, with time of day, event and fields.

    A stack trace follows on further lines.
    """
    fields = " ".join(f"{name}={said[name]}" for name in FIELDS if name in said)
    event = " ".join(str(said["event"]).split())
    line = f"{said['time'][11:19]}Z {said['level'].upper()} {said['logger']}: {event} {fields}".rstrip()
    return "\n".join([line, *(str(said[name]) for name in ("exception", "stack") if name in said)])
