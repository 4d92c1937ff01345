"""The attacks of issue 21 one by one: the longest wait of another team while each lasts. Prints a table.

    scripts/setup load
    .venv/bin/python -m bench.load.rows

Starts the product as `make run` does, on a state of its own. Exit status 1 where a user waited for more than a second
or got another answer than they should.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from bench.load.service import Up  # first: it makes importable what lies in tests

from bench.load import hostile, seeding  # isort: skip
from people import new_member, token_of  # isort: skip

import httpx2 as httpx  # isort: skip

LASTS_S = 30.0
EVERY_S = 0.25
MOST_S = 1.0
SIZES = seeding.Sizes(teams=4, plans=40, measurements=40, reports=8)


@dataclass
class Waited:
    """Waits [s] of another team during one attack, by kind of request, and answers other than 200."""

    health_s: list[float] = field(default_factory=list)
    preview_s: list[float] = field(default_factory=list)
    wrong: list[int] = field(default_factory=list)

    def line(self, row: str) -> str:
        """Return a line of the table."""
        cells = (f"{1000 * max(each):,.0f}" for each in (self.health_s, self.preview_s))
        return f"| {row} | {len(self.health_s)} | {' | '.join(cells)} | {len(self.wrong)} |"


def main() -> int:
    """Start the product and attack it, row by row."""
    with tempfile.TemporaryDirectory(prefix="stowage-rows-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        up = Up(folder / "state")
        up.start()
        try:
            up.await_ready()
            with up.opened() as service:
                teams = seeding.seed(service, SIZES, 1)
                other = seeding.prober_of(service, teams[1], 0)["headers"]
                person_id = new_member(service.gate, teams[0].org_id, "owner")
                own = seeding.session_headers(service.gate, person_id, up.address.rpartition(":")[2])
                token = token_of(service.gate, teams[0].org_id, ["read", "plan"], person_id=person_id)
                return asyncio.run(_attacks(up.address, own, other, token))
        finally:
            up.stop()


async def _attacks(address: str, own: dict[str, str], other: dict[str, str], token: str) -> int:
    limits = httpx.Limits(max_connections=None)
    print("| attack | requests | longest health probe [ms] | longest preview [ms] | other answers than 200 |")
    print("|---|---:|---:|---:|---:|")
    held = True
    async with httpx.AsyncClient(base_url=address, timeout=30.0, limits=limits) as anybody:
        # First: the attacks use up the team's quota of uploads.
        refused = await _cancelled_by_a_planner(anybody, own, token)
        for row, act in _rows():
            async with httpx.AsyncClient(base_url=address, headers=own, timeout=30.0, limits=limits) as client:
                attack = hostile.Attack(client, anybody, "", time.time() + LASTS_S)
                waited = await _beside(attack, act, anybody, other)
            print(waited.line(row), flush=True)
            held = held and not waited.wrong and max(*waited.health_s, *waited.preview_s) <= MOST_S
    print(f"\nrow 7: a token with the scopes read and plan that cancels an upload's job is answered {refused}")
    return 0 if held and refused in {403, 404} else 1


def _rows() -> Sequence[tuple[str, Callable[[hostile.Attack], Awaitable[None]]]]:
    tar, slow = hostile.endless_tar(), hostile.slow_redis_benchmark()

    async def reports(attack: hostile.Attack, row: str, words: str) -> None:
        plan_id = await attack.plan()
        await attack.repeat(row, lambda: attack.report(row, plan_id, words), 6)

    return (
        ("none", lambda _attack: asyncio.sleep(LASTS_S)),
        ("1, a tar without an end", lambda attack: attack.repeat("1", lambda: attack.upload("1", tar, "x.tar"), 4)),
        ("2, reports", lambda attack: reports(attack, "2", "")),
        ("3, reports of newlines", lambda attack: reports(attack, "3", "\n" * 19_000 + "=1")),
        ("4, 420 event streams", lambda attack: attack.streams()),
        ("10, blank lines", lambda attack: attack.repeat("10", lambda: attack.upload("10", slow, "redis.txt"), 2)),
    )


async def _beside(
    attack: hostile.Attack,
    act: Callable[[hostile.Attack], Awaitable[None]],
    anybody: httpx.AsyncClient,
    other: dict[str, str],
) -> Waited:
    waited = Waited()

    async def ask() -> None:
        while True:
            for method, path, seen in (
                ("GET", "/api/v1/health", waited.health_s),
                ("POST", "/api/v1/plans/preview?sources=first", waited.preview_s),
            ):
                began = time.perf_counter()
                headers = other if method == "POST" else None
                body = hostile.QUESTION if method == "POST" else None
                try:
                    answer = await anybody.request(method, path, headers=headers, json=body)
                except httpx.HTTPError:
                    waited.wrong.append(0)
                else:
                    if answer.status_code != 200:
                        waited.wrong.append(answer.status_code)
                seen.append(time.perf_counter() - began)
            await asyncio.sleep(EVERY_S)

    asking = asyncio.create_task(ask())
    try:
        async with asyncio.timeout(LASTS_S):
            await act(attack)
            await asyncio.sleep(LASTS_S)
    except TimeoutError:
        pass
    finally:
        asking.cancel()
    return waited


async def _cancelled_by_a_planner(anybody: httpx.AsyncClient, own: dict[str, str], token: str) -> int:
    """Return the status with which a token for plans is answered that cancels a job of an upload."""
    begun = await anybody.post("/api/v1/uploads", json={"name": "x.tar", "size_bytes": 1}, headers=own)
    begun.raise_for_status()
    path = f"/api/v1/uploads/{UUID(begun.json()['id'])}"
    bytes_only = {"Content-Type": "application/octet-stream"}
    (await anybody.put(f"{path}/pieces/0", content=b"x", headers=own | bytes_only)).raise_for_status()
    job = await anybody.post(f"{path}/read", headers=own)
    job.raise_for_status()
    cancelled = await anybody.post(
        f"/api/v1/jobs/{job.json()['job']['id']}/cancel", headers={"Authorization": f"Bearer {token}"}
    )
    return cancelled.status_code


if __name__ == "__main__":
    sys.exit(main())
