"""One hostile team: an owner's session with which everything is done at once that once stopped the service for all.

The rows are those of issue 21. Each repeats its attack without a pause; one that is refused waits a tenth of a second
and repeats it. The buckets of row 5 and the webhook of row 6 are stand-ins.
"""

import asyncio
import io
import json
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx

PAUSE_S = 0.1
STREAMS = 420
QUESTION = {"workload": {"data": "10 TB", "durability": {"model": "infrastructure"}}}
MANY = {
    "base": QUESTION,
    "columns": {"quantity": "data", "values": [f"{size} TB" for size in range(1, 31)]},
    "rows": {"quantity": "deadline", "values": [f"{hours} h" for hours in range(1, 21)]},
}

Told = Counter[tuple[str, str]]


@contextmanager
def attacking(
    service: Any,  # noqa: ANN401 - seeding.Service
    outside: Any,  # noqa: ANN401 - stand_ins.StandIns
    folder: Path,
    *,
    minutes: float,
) -> Iterator[None]:
    """Have a new team attack, in a process of its own, until the minutes or the block have ended."""
    from bench.load.seeding import session_headers  # noqa: PLC0415 - the process that attacks needs no product
    from database import superuser  # noqa: PLC0415
    from people import new_member  # noqa: PLC0415

    org_id = uuid4()
    with superuser(service.urls) as connection:
        connection.execute("INSERT INTO org (org_id, name) VALUES (%s, %s)", [org_id, f"Hostile {org_id.hex[:6]}"])
    person_id = new_member(service.gate, org_id, "owner")
    outside.connect(service, org_id)
    folder.mkdir(parents=True, exist_ok=True)
    asked = {
        "webhook": outside.webhook or "https://hooks.example.org/slow",
        "address": service.address,
        "headers": session_headers(service.gate, person_id, service.address.rpartition(":")[2]),
        "ends_at": time.time() + 60 * minutes,
        "told": str(folder / "hostile.json"),
    }
    written = folder / "hostile-asked.json"
    written.write_text(json.dumps(asked))
    with (folder / "hostile.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "bench.load.hostile", str(written)],
            stdout=log, stderr=log, cwd=Path(__file__).resolve().parents[2],
        )  # fmt: skip
        try:
            yield
        finally:
            try:
                process.wait(60.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def told(folder: Path) -> Iterator[str]:
    """Yield lines: what the hostile team tried, and how the service answered."""
    path = folder / "hostile.json"
    if not path.exists():
        yield f"hostile team: it did not come to its end; see {folder / 'hostile.log'}"
        return
    for row, outcomes in json.loads(path.read_text()).items():
        answered = ", ".join(f"{name}: {count:,}" for name, count in sorted(outcomes.items()))
        yield f"hostile team, row {row}: {answered}"


def endless_tar() -> bytes:
    """Return a tar whose pax header has a record of length 0 (row 1)."""
    found = io.BytesIO()
    with tarfile.open(fileobj=found, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        header = tarfile.TarInfo("pax")
        header.type = tarfile.XHDTYPE
        header.size = 512
        tar.addfile(header, io.BytesIO(b"0 a=b\n".ljust(512, b"\0")))
        member = tarfile.TarInfo("fio.json")
        member.size = 2
        tar.addfile(member, io.BytesIO(b"{}"))
    return found.getvalue()


def slow_redis_benchmark() -> bytes:
    """Return 64 KiB of blank lines where redis-benchmark's output is expected (row 10)."""
    return b"====== SET ======\n" + b"\n " * 32_000 + b"x"


class Attack:
    """All that the team does; counts what the service answers."""

    def __init__(self, client: httpx.AsyncClient, anybody: httpx.AsyncClient, webhook: str, ends_at: float) -> None:
        self._client = client
        self._anybody = anybody
        self._webhook = webhook
        self._ends_at = ends_at
        self.told: Told = Counter()

    async def run(self) -> None:
        """Do all of it at once until the time has come."""
        plan_id = await self.plan()
        rows: list[tuple[str, int, Callable[[], Awaitable[Any]]]] = [
            ("1", 4, lambda: self.upload("1", endless_tar(), "x.tar")),
            ("2", 4, lambda: self.report("2", plan_id, "")),
            ("3", 4, lambda: self.report("3", plan_id, "\n" * 19_000 + "=1")),
            ("6", 2, self._alert),
            ("9", 4, self._body),
            ("10", 2, lambda: self.upload("10", slow_redis_benchmark(), "redis.txt")),
            ("11 sweeps", 2, lambda: self._post("11 sweeps", "/api/v1/sweeps", json=MANY)),
            ("11 copies", 4, lambda: self._post("11 copies", f"/api/v1/plans/{plan_id}/duplicate")),
        ]
        running = [self._again(row, act) for row, times, act in rows for _ in range(times)]
        async with asyncio.timeout(max(0.0, self._ends_at - time.time())):
            await asyncio.gather(*running, self.streams())

    async def repeat(self, row: str, act: Callable[[], Awaitable[Any]], times: int) -> None:
        """Do one thing again and again, so many times at once."""
        await asyncio.gather(*(self._again(row, act) for _ in range(times)))

    async def plan(self) -> UUID:
        """Save a plan, and try until that is done."""
        while True:
            answer = await self._client.post("/api/v1/plans", json=QUESTION)
            if answer.status_code == 201:
                return UUID(answer.json()["id"])
            await asyncio.sleep(PAUSE_S)

    async def _again(self, row: str, act: Callable[[], Awaitable[Any]]) -> None:
        while True:
            try:
                await act()
            except httpx.HTTPError as error:
                self.told[row, type(error).__name__] += 1
            await asyncio.sleep(PAUSE_S)

    async def _post(self, row: str, path: str, **body: Any) -> httpx.Response:  # noqa: ANN401 - httpx'
        answer = await self._client.post(path, **body)
        self.told[row, str(answer.status_code)] += 1
        return answer

    async def upload(self, row: str, content: bytes, name: str) -> None:
        """Upload a file and have it read."""
        begun = await self._post(row, "/api/v1/uploads", json={"name": name, "size_bytes": len(content)})
        if begun.status_code != 201:
            return
        path = f"/api/v1/uploads/{begun.json()['id']}"
        bytes_only = {"Content-Type": "application/octet-stream"}
        await self._client.put(f"{path}/pieces/0", content=content, headers=bytes_only)
        await self._post(row, f"{path}/read")

    async def report(self, row: str, plan_id: UUID, words: str) -> None:
        """Publish a report and ask for its CSV file."""
        origin = {"kind": "plan", "plan_id": str(plan_id)}
        answer = await self._post(row, "/api/v1/reports", json={"title": "R", "words": words, "origin": origin})
        if answer.status_code == 201:
            file = await self._client.get(f"/api/v1/reports/{answer.json()['id']}/files/csv")
            self.told[row, f"csv {file.status_code}"] += 1

    async def _alert(self) -> None:
        added = await self._post("6", "/api/v1/alert-addresses", json={"kind": "webhook", "address": self._webhook})
        if added.status_code == 201:
            await self._post("6", f"/api/v1/alert-addresses/{added.json()['id']}/test")

    async def _body(self) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(32):
                yield bytes(65_536)

        answer = await self._anybody.put(
            f"/api/v1/uploads/{uuid4()}/pieces/0",
            content=pieces(),
            headers={"Content-Type": "application/octet-stream"},
        )
        self.told["9", str(answer.status_code)] += 1

    async def streams(self) -> None:
        """Follow a job over many connections at once."""
        job_id = None
        while job_id is None:
            with suppress(httpx.HTTPError):
                answer = await self._post("4", "/api/v1/sweeps", json=MANY)
                job_id = answer.json()["job"]["id"] if answer.status_code == 201 else None
            await asyncio.sleep(PAUSE_S)

        async def follow() -> None:
            async with self._client.stream("GET", f"/api/v1/jobs/{job_id}/events") as events:
                self.told["4", str(events.status_code)] += 1
                async for _ in events.aiter_raw():
                    pass

        await asyncio.gather(*(self._again("4", follow) for _ in range(STREAMS)))


async def _attack(asked: dict[str, Any]) -> Told:
    limits = httpx.Limits(max_connections=None)
    async with (
        httpx.AsyncClient(base_url=asked["address"], headers=asked["headers"], timeout=30.0, limits=limits) as client,
        httpx.AsyncClient(base_url=asked["address"], timeout=30.0, limits=limits) as anybody,
    ):
        attack = Attack(client, anybody, asked["webhook"], asked["ends_at"])
        with suppress(TimeoutError):
            await attack.run()
    return attack.told


def main() -> None:
    """Attack as the file says that the command line names, and write what came of it."""
    asked = json.loads(Path(sys.argv[1]).read_text())
    found: dict[str, dict[str, int]] = {}
    for (row, outcome), count in asyncio.run(_attack(asked)).items():
        found.setdefault(row, {})[outcome] = count
    Path(asked["told"]).write_text(json.dumps(dict(sorted(found.items()))))


if __name__ == "__main__":
    main()
