"""How many users the service holds, and what they wait: p50, p95, p99 by kind of request. Prints figures.

    scripts/setup load
    .venv/bin/python -m bench.load --users 20 --minutes 2
    .venv/bin/python -m bench.load --users 10 --minutes 2 --hostile     # and beside a hostile team
    .venv/bin/python -m bench.load --users 200 --minutes 3 --members    # 70% reads, 25% previews, 5% saves
    .venv/bin/python -m bench.load --find                               # the number of users that is held, by steps

Starts the product on a state of its own and fills it with the data of many teams. Ends with 1 where an acknowledged
write is lost, something is there twice, or a job was never done.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.load.service import PATIENCE_S, Up, rows, users  # first: it makes importable what lies in tests

from bench.load import figures, hostile, processor, record, seeding  # isort: skip
from bench.load.checking import Checked, check  # isort: skip
from bench.load.figures import Request  # isort: skip
from bench.load.stand_ins import StandIns, stand_ins  # isort: skip

STEPS = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
SHOWN = 20
"""Lines of what is wrong that are printed of each sort."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One load: what its users saw, and what was found at its end."""

    requests: Sequence[Request]
    checked: Checked


class Bench:
    """A service with data, and loads on it one after the other."""

    def __init__(
        self,
        up: Up,
        folder: Path,
        teams: Sequence[seeding.Team],
        options: argparse.Namespace,
        outside: StandIns | None,
    ) -> None:
        self._up = up
        self._outside = outside
        self._folder = folder
        self._teams = teams
        self._options = options
        self._runs = 0

    def run(self, count: int, *, with_hostile: bool = False) -> Ran:
        """Run a number of users for some minutes, and print the results."""
        outside = self._outside if with_hostile else None
        self._runs += 1
        folder = self._folder / f"run{self._runs}"
        minutes: float = self._options.minutes
        name = f"{self._options.seed}.{self._runs}"
        with self._up.opened() as service, ExitStack() as stack:
            cast = seeding.cast_of(
                service, self._teams, count, seed=self._options.seed, run=name, members=self._options.members
            )
            load = os.getloadavg()[0]
            with users(self._up.address, cast, folder, patience_s=10.0):
                _await_users(folder)
                if outside is not None:
                    stack.enter_context(hostile.attacking(service, outside, folder, minutes=minutes))
                began, meter = time.time(), self._up.meter()
                time.sleep(60 * minutes)
                shares = meter.shares()
            stack.close()
            checked = check(service, cast, folder)
        seen = figures.read_requests(rows(folder / "requests.jsonl"))
        ran = Ran([each for each in seen if each.at_s >= began], checked)
        beside = " beside a hostile team" if outside is not None else ""
        print(f"\n{count} users{beside}, {minutes:g} min, load of the machine before {load:.1f}\n")
        for line in figures.printed(figures.table_of(ran.requests)):
            print(line)
        print()
        for line in processor.printed(shares):
            print(line)
        _print_checked(checked)
        for line in figures.misses(ran.requests):
            print(f"not held: {line}")
        if outside is not None:
            for line in (*hostile.told(folder), *outside.told()):
                print(line)
        elif self._options.record:
            record.add("load", self._line(count, ran))
        return ran

    def _line(self, count: int, ran: Ran) -> dict[str, Any]:
        every, reads, previews, saves = (
            figures.line_of("", [each for each in ran.requests if chosen(each.kind)])
            for chosen in (
                lambda _kind: True,
                lambda kind: kind in figures.READS,
                lambda kind: kind == figures.PREVIEW,
                lambda kind: kind == "save plan",
            )
        )
        return {
            "users": count,
            "members": self._options.members,
            "minutes": self._options.minutes,
            "seed": self._options.seed,
            "requests": every.count,
            "errors": dict(every.errors),
            "shed": every.shed,
            **{
                name: [line.p50_s, line.p95_s, line.p99_s]
                for name, line in (("reads_s", reads), ("previews_s", previews), ("saves_s", saves))
            },
            "acknowledged": ran.checked.acknowledged,
            "lost": len(ran.checked.lost),
            "repeated": len(ran.checked.repeated),
            "undone": len(ran.checked.undone),
            "misses": figures.misses(ran.requests),
        }


def main() -> int:
    """Start the product, fill it, let the users work, print."""
    options = _options()
    teams_of = seeding.Sizes(options.teams, options.plans, options.measurements, options.reports)
    print("python -m bench.load", *sys.argv[1:])
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    with ExitStack() as stack:
        # First: it must be before any thread.
        outside = stack.enter_context(stand_ins()) if options.hostile else None
        # Not in the folder of the user: where this runs as root, PostgreSQL is another user and must reach it.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stowage-load-")))
        folder.chmod(0o711)
        up = Up(folder / "state", None if outside is None else outside.environment())
        if options.logs:
            stack.callback(_keep_logs, up, folder, options.logs)
        stack.callback(up.stop)
        up.start()
        up.await_ready()
        began = time.monotonic()
        with up.opened() as service:
            teams = seeding.seed(service, teams_of, options.seed)
        print(f"filled in {time.monotonic() - began:.0f} s: {teams_of}", flush=True)
        bench = Bench(up, folder, teams, options, outside)
        if options.find:
            return _find(bench, options)
        ran = [bench.run(options.users)]
        if options.hostile:
            ran.append(bench.run(options.users, with_hostile=True))
            _print_slower(ran, options)
    return 0 if all(each.checked.is_sound for each in ran) else 1


def _keep_logs(up: Up, folder: Path, kept: Path) -> None:
    shutil.copytree(up.home / "log", kept / "log", dirs_exist_ok=True)
    for path in (*folder.glob("run*/*"), Path(f"{up.home}.told")):
        shutil.copy(path, kept / f"{path.parent.name}-{path.name}")


def _await_users(folder: Path) -> None:
    """Wait until the users have begun: on a busy machine locust itself takes a while to start."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not rows(folder / "requests.jsonl"):
        if time.monotonic() > give_up_at:
            raise SystemExit(f"no user came: {(folder / 'locust.log').read_text()[-2000:]}")
        time.sleep(0.2)


def _find(bench: Bench, options: argparse.Namespace) -> int:
    """Raise the number of users step by step until it is not held."""
    held, sound = 0, True
    for count in (each for each in STEPS if each <= options.most):
        ran = bench.run(count)
        sound = sound and ran.checked.is_sound
        if figures.misses(ran.requests):
            break
        held = count
    print(f"\nheld: {held} users")
    return 0 if sound else 1


def _print_slower(ran: Sequence[Ran], options: argparse.Namespace) -> None:
    slower = list(figures.slower(ran[0].requests, ran[1].requests))
    print("\n| request | p95 without [ms] | beside a hostile team [ms] | times |\n|---|---:|---:|---:|")
    for kind, without_s, beside_s in slower:
        print(f"| {kind} | {1000 * without_s:,.0f} | {1000 * beside_s:,.0f} | {beside_s / without_s:.2f} |")
    if options.record:
        record.add(
            "hostile", {"users": options.users, "minutes": options.minutes, "seed": options.seed, "slower": slower}
        )


def _print_checked(checked: Checked) -> None:
    print(
        f"\n{checked.sent:,} writes sent, {checked.acknowledged:,} acknowledged; {len(checked.lost)} lost, "
        f"{len(checked.repeated)} there twice, {len(checked.undone)} jobs not done"
    )
    for words, lines in (("lost", checked.lost), ("twice", checked.repeated), ("not done", checked.undone)):
        for line in lines[:SHOWN]:
            print(f"  {words}: {line}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=2.0, help="of each load")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hostile", action="store_true", help="repeat beside a hostile team")
    parser.add_argument("--members", action="store_true", help="70%% reads, 25%% previews, 5%% saves, for all users")
    parser.add_argument("--find", action="store_true", help="raise the number of users until it is not held")
    parser.add_argument("--most", type=int, default=STEPS[-1], help="users, with --find")
    parser.add_argument("--record", action="store_true", help="add the results to docs/reliability.md")
    parser.add_argument("--logs", type=Path, help="keep logs and journals in this folder")
    usual = seeding.Sizes()
    for name in ("teams", "plans", "measurements", "reports"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name), help="in the database")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
