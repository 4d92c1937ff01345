"""The product under load: `stowage up` on a state folder of its own, and its users as a process of locust."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
sys.path.extend(map(str, (ROOT / "tests" / "support").iterdir()))

from bench.load.processor import Meter  # noqa: E402
from bench.load.seeding import Service  # noqa: E402 - it imports what lies in tests
from database import KEYRING, SECRETS_KEY  # noqa: E402
from process import USUAL_SIGNALS, environment, free_port  # noqa: E402
from stowage.cli.server.running import running as found_running  # noqa: E402
from stowage.platform.database.database import Database  # noqa: E402
from stowage.platform.database.embedded import DatabaseUrls  # noqa: E402

LOCUST = ROOT / ".tools" / "load" / "bin" / "locust"
PATIENCE_S = 300.0


class Up:
    """`stowage up`, as often as it is started on one folder.

    Parameters
    ----------
    home : Path
    beside : mapping of str to str
        Besides, for its environment.
    """

    def __init__(self, home: Path, beside: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = {
            "STOWAGE_HOME": str(home),
            "STOWAGE_PORT": str(self.port),
            "STOWAGE_SECRETS_KEY": SECRETS_KEY,
            **(beside or {}),
        }

    def start(self) -> None:
        """Start it; what it prints goes to a file beside its folder."""
        with Path(f"{self.home}.told").open("ab") as told:
            self.process = subprocess.Popen(
                (*USUAL_SIGNALS, sys.executable, "-m", "stowage", "up"),
                stdout=told,
                stderr=told,
                env=environment(self._settings),
                start_new_session=True,  # the bench's own session may have a lower priority
            )

    def stop(self) -> None:
        """Stop it and wait for its end."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def is_ready(self) -> bool:
        """Return whether every part, the workers too, has given a heartbeat."""
        try:
            parts = httpx.get(f"{self.address}/api/v1/readiness", timeout=10.0).json()["parts"]
        except (httpx.HTTPError, ValueError, KeyError):
            return False
        return all(part["status"] == "ok" for part in parts)

    def await_ready(self, within_s: float = PATIENCE_S) -> None:
        """Wait until it is ready.

        Raises
        ------
        SystemExit
            It ended, or does not become ready.
        """
        give_up_at = time.monotonic() + within_s
        while not self.is_ready():
            if self.process is None or self.process.poll() is not None or time.monotonic() > give_up_at:
                raise SystemExit(f"stowage up is not ready:\n{self.told()[-4000:]}")
            time.sleep(0.2)

    def told(self) -> str:
        """Return what it printed; never the line with the link."""
        lines = Path(f"{self.home}.told").read_text(errors="replace").splitlines()
        return "\n".join(line for line in lines if "/sign-in#" not in line)

    def child(self, name: str) -> psutil.Process | None:
        """Return the process of this name, or None."""
        assert self.process is not None  # noqa: S101 - it was started
        for child in psutil.Process(self.process.pid).children():
            try:
                if child.name() == name[:15]:
                    return child
            except psutil.Error:
                continue
        return None

    def meter(self) -> Meter:
        """Begin to count the CPU time of its parts."""
        assert self.process is not None  # noqa: S101 - it was started
        return Meter(self.process.pid)

    def urls(self) -> DatabaseUrls:
        """Return how its database is reached."""
        found = found_running(self.home)
        if found is None:
            raise SystemExit(f"nothing runs on {self.home}:\n{self.told()[-4000:]}")
        owner = found.database_url.replace("stowage_app", "stowage_owner")
        return DatabaseUrls(owner=owner, application=found.database_url, gate=found.gate_database_url)

    def redis_url(self) -> str:
        """Return how its Redis is reached."""
        found = found_running(self.home)
        if found is None:
            raise SystemExit(f"nothing runs on {self.home}")
        return found.redis_url

    @contextmanager
    def opened(self) -> Iterator[Service]:
        """Open its database."""
        urls = self.urls()
        with (
            closing(Database(urls.application, pool_size=4, keyring=KEYRING)) as database,
            closing(Database(urls.gate, pool_size=2, keyring=KEYRING)) as gate,
        ):
            yield Service(self.address, urls, database, gate)


@contextmanager
def users(address: str, cast: Mapping[str, Any], folder: Path, *, patience_s: float) -> Iterator[None]:
    """Run the users of a cast during the block; they write into the folder and finish what they began.

    Parameters
    ----------
    address : str
    cast : mapping
        As `seeding.cast_of` builds it.
    folder : Path
        Gets `requests.jsonl` and `writes.jsonl`.
    patience_s : float
        How long a user repeats a request that fails [s].
    """
    if not LOCUST.exists():
        raise SystemExit("locust is not there: scripts/setup load")
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / "cast.json"
    written.write_text(json.dumps(cast))
    written.chmod(0o600)
    count = len(cast["people"])
    command = [
        *(str(LOCUST), "-f", str(Path(__file__).with_name("users.py")), "--headless", "--host", address),
        *("-u", str(count), "-r", str(count), "--stop-timeout", "75"),
        *("--only-summary", "--loglevel", "WARNING", "--exit-code-on-error", "0"),
    ]
    told = os.environ | {
        "STOWAGE_LOAD_CAST": str(written),
        "STOWAGE_LOAD_OUT": str(folder),
        "STOWAGE_LOAD_PATIENCE": str(patience_s),
    }
    with (folder / "locust.log").open("wb") as log:
        process = subprocess.Popen(command, env=told, stdout=log, stderr=log, cwd=folder, start_new_session=True)
        try:
            yield
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(120.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def rows(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines; a last line that was cut is left out."""
    found = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
