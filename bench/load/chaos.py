"""Faults one after the other while users work: how soon the service recovers, and whether it loses or repeats anything.

    scripts/setup load
    .venv/bin/python -m bench.load.chaos --seed 7

The seed draws the faults and their order. After each a probe saves a plan, computes a sweep and publishes a report
with its files; the service has recovered when all of that is done and every part has given a heartbeat. The first probe
comes without a fault: what it takes is what a probe takes. Ends with 1 where an acknowledged write is lost, something
is there twice, a job was never done, or the service did not recover in time.
"""

import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.load.service import Up, rows, users  # first: it makes importable what lies in tests

import httpx2 as httpx  # isort: skip

from bench.load import figures, record, seeding  # isort: skip
from bench.load.checking import check  # isort: skip
from bench.load.faults import BACK, CUT, DISK, FORWARD, Faults, Planned, possible, schedule  # isort: skip
from aws_account import Simulated, connected_account  # isort: skip
from laboratory.account import BUCKET, REGION, ROLE  # isort: skip

SIZES = seeding.Sizes(teams=10, plans=60, measurements=80, reports=20)
VOLUME = "1g"
RECOVERS_WITHIN_S = 120.0
NONE = "none, what a probe takes"


class NotRecovered(Exception):
    """The service did not do what it was asked to within the time."""


class Prober:
    """Uses every part of the service, and notes what was acknowledged as users do.

    Parameters
    ----------
    address : str
    me : mapping
        Of the cast.
    writes : Path
        Its journal.
    run : str
    """

    def __init__(self, address: str, me: Mapping[str, Any], writes: Path, run: str) -> None:
        self._client = httpx.Client(base_url=address, headers=me["headers"], timeout=20.0)
        self._me = me
        self._writes = writes
        self._run = run
        self._numbers = count(1)
        self.account_id = ""

    def probe(self) -> None:
        """Save a plan, compute a sweep, publish a report and wait for its files.

        Raises
        ------
        NotRecovered
            It was not done within the time.
        """
        give_up_at = time.monotonic() + RECOVERS_WITHIN_S
        number = next(self._numbers)
        workload: dict[str, Any] = {"data": "1 TB", "durability": {"model": "infrastructure"}}
        question: dict[str, Any] = {"workload": workload, "limits": {"max_nodes": 50}}
        name = f"load plan {self._run} {self._me['number']}.{number}"
        named = question | {"workload": workload | {"name": name}}
        plan = self._write("plans", named, {"name": name}, give_up_at)
        name = f"load sweep {self._run} {self._me['number']}.{number}"
        sweep = {
            "name": name,
            "base": question,
            "columns": {"quantity": "data", "values": ["1 TB", "2 TB"]},
            "rows": {"quantity": "deadline", "values": ["9 h"]},
        }
        swept = self._write("sweeps", sweep, {"name": name, "job.done": 2, "job.state": "done"}, give_up_at)
        title = f"load report {self._run} {self._me['number']}.{number}"
        origin = {"kind": "plan", "plan_id": plan["id"]}
        report = self._write("reports", {"title": title, "origin": origin}, {"report.title": title}, give_up_at)
        job_id = report["documents"]["job_id"]
        for job in (swept["job"]["id"], job_id):
            if job is not None:
                self._until(f"/api/v1/jobs/{job}", lambda found: found["state"] == "done", give_up_at)

    def connect_account(self, trust: Any) -> None:  # noqa: ANN401 - of tests
        """Connect the simulated AWS account."""
        begun = self._client.post("/api/v1/aws-accounts", json={"name": "Simulated", "bucket_region": REGION})
        account = begun.raise_for_status().json()
        trust(account["external_id"])
        self.account_id = account["id"]
        path = f"/api/v1/aws-accounts/{self.account_id}"
        self._client.patch(path, json={"role_arn": ROLE, "bucket": BUCKET}).raise_for_status()
        self.check_account()

    def start_check(self) -> None:
        """Have a worker try the role of the account; of whether it succeeds nothing is said."""
        with suppress(httpx.HTTPError):
            self._client.post(f"/api/v1/aws-accounts/{self.account_id}/check")

    def check_account(self) -> None:
        """Try the role of the account until it is connected."""
        give_up_at = time.monotonic() + RECOVERS_WITHIN_S
        path = f"/api/v1/aws-accounts/{self.account_id}"

        def is_connected(found: Mapping[str, Any]) -> bool:
            if found["state"] in {"failing", "unchecked"}:
                self.start_check()
            return bool(found["state"] == "connected")

        self.start_check()
        self._until(path, is_connected, give_up_at)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _write(self, what: str, body: Any, want: Mapping[str, Any], give_up_at: float) -> Any:  # noqa: ANN401 - JSON
        key, write_id = str(uuid4()), f"{what} {next(self._numbers)}"
        self._note({"event": "sent", "id": write_id, "user": self._me["number"], "path": "", "want": want})
        last = ""
        while time.monotonic() < give_up_at:
            try:
                answer = self._client.post(f"/api/v1/{what}", json=body, headers={"Idempotency-Key": key})
                if answer.status_code == 201:
                    document = answer.json()
                    self._note({"event": "acknowledged", "id": write_id, "path": f"/api/v1/{what}/{document['id']}"})
                    return document
                last = f"{answer.status_code} {answer.text[:300]}"
            except httpx.HTTPError as error:
                last = repr(error)
            time.sleep(0.2)
        raise NotRecovered(f"{what}: {last}")

    def _until(self, path: str, is_so: Any, give_up_at: float) -> None:  # noqa: ANN401 - a predicate of JSON
        last = ""
        while time.monotonic() < give_up_at:
            try:
                answer = self._client.get(path)
                last = f"{answer.status_code} {answer.text[:300]}"
                if answer.status_code == 200 and is_so(answer.json()):
                    return
            except httpx.HTTPError as error:
                last = repr(error)
            time.sleep(0.2)
        raise NotRecovered(f"{path}: {last}")

    def _note(self, row: Mapping[str, Any]) -> None:
        with self._writes.open("a") as file:
            file.write(json.dumps(row) + "\n")


def main() -> int:
    """Start the product, let users work, cause faults, check."""
    options = _options()
    # The simulated AWS tells each of its requests.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    print(f"python -m bench.load.chaos --seed {options.seed}: {datetime.now(UTC):%Y-%m-%d %H:%M} UTC", flush=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stowage-chaos-")))
        folder.chmod(0o711)
        volume = stack.enter_context(_small_volume(folder / "volume"))
        moving = _compiled_clock(folder)
        names, skipped = possible(volume=volume is not None, clock=moving is not None)
        planned = schedule(
            options.seed, options.faults, [each for each in names if not options.only or each in options.only]
        )
        print("; ".join(each.fault for each in planned), flush=True)
        needed = {each.fault for each in planned}
        beside: dict[str, str] = {}
        clock = aws = None
        if moving is not None and needed & {FORWARD, BACK}:
            clock = folder / "clock"
            clock.write_bytes(bytes(8))
            beside |= {"LD_PRELOAD": str(moving), "STOWAGE_LOAD_CLOCK": str(clock)}
        if CUT in needed:
            aws = stack.enter_context(connected_account())
            beside |= aws.answers() | {"STOWAGE_AWS_PRINCIPAL": "arn:aws:iam::111122223333:role/stowage-worker"}
        home = (folder if volume is None or DISK not in needed else volume) / "state"
        up = Up(home, beside)
        if options.logs:
            stack.callback(_keep_logs, up, folder, options.logs)
        stack.callback(up.stop)
        up.start()
        up.await_ready()
        found = _under_load(
            up,
            folder,
            options,
            planned,
            Faults(up, volume, clock, None if aws is None else aws.between, lambda: None),
            aws,
        )
    found |= {"seed": options.seed, "skipped": skipped}
    if options.record:
        record.add("chaos", found)
    bad = [*found["lost"], *found["repeated"], *found["undone"]]
    bad += [each["fault"] for each in found["faults"] if each["recovered_s"] is None]
    return 1 if bad else 0


def _under_load(
    up: Up, folder: Path, options: argparse.Namespace, planned: Sequence[Planned], faults: Faults, aws: Simulated | None
) -> dict[str, Any]:
    run = f"chaos {options.seed}"
    with up.opened() as service:
        teams = seeding.seed(service, SIZES, options.seed)
        cast = seeding.cast_of(service, teams, options.users, seed=options.seed, run=run)
        cast["people"].append(seeding.prober_of(service, teams[-1], options.users))
    told: list[dict[str, Any]] = []
    prober = Prober(up.address, cast["people"][-1], folder / "writes-prober.jsonl", run)
    faults.during_cut = prober.start_check
    if aws is not None:

        def trust(external_id: str) -> None:
            aws.between.external_id = external_id
            aws.enforced.trust(external_id)

        prober.connect_account(trust)
    began = time.monotonic()
    working = {**cast, "people": cast["people"][:-1]}
    with users(up.address, working, folder, patience_s=60.0):
        time.sleep(5.0)
        _probe(NONE, prober, up, lambda: None, told)
        for each in planned:
            if time.monotonic() - began > options.within_minutes * 60:
                print("the time is over: the rest of the schedule is left out", flush=True)
                break
            time.sleep(each.pause_s)
            _probe(each.fault, prober, up, lambda fault=each.fault: faults.cause(fault), told)
        time.sleep(3.0)
    prober.close()
    if up.process is None or up.process.poll() is not None:
        up.start()
    up.await_ready()
    with up.opened() as service:
        checked = check(service, cast, folder)
    requests = figures.read_requests(rows(folder / "requests.jsonl"))
    outcomes = Counter(each.outcome for each in requests)
    print(f"users sent {len(requests):,} requests: {dict(outcomes)}")
    print(f"{checked.sent:,} writes sent, {checked.acknowledged:,} acknowledged")
    for words, lines in (("LOST", checked.lost), ("TWICE", checked.repeated), ("NOT DONE", checked.undone)):
        for line in lines:
            print(f"{words}: {line}")
    return {
        "faults": told,
        "requests": len(requests),
        "outcomes": dict(outcomes),
        "acknowledged": checked.acknowledged,
        "lost": checked.lost,
        "repeated": checked.repeated,
        "undone": checked.undone,
    }


def _keep_logs(up: Up, folder: Path, kept: Path) -> None:
    shutil.copytree(up.home / "log", kept, dirs_exist_ok=True)
    for path in [*folder.glob("*.jsonl"), folder / "locust.log", Path(f"{up.home}.told")]:
        if path.exists():
            shutil.copy(path, kept)


def _probe(fault: str, prober: Prober, up: Up, cause: Any, told: list[dict[str, Any]]) -> None:  # noqa: ANN401 - a function
    began = time.monotonic()
    words, recovered_s = "", None
    try:
        cause()
        ended = time.monotonic()
        # A service that gave up is started again by its operator.
        if up.process is not None and up.process.poll() is not None:
            words = "stowage up had ended by itself, and was started again; "
            up.start()
        prober.probe()
        if fault == CUT:
            prober.check_account()
        up.await_ready(RECOVERS_WITHIN_S)
        recovered_s = round(time.monotonic() - ended, 2)
    except (NotRecovered, TimeoutError, SystemExit) as error:
        words += str(error)[-1500:]
    told.append({"fault": fault, "recovered_s": recovered_s, "words": words})
    shown = "NOT RECOVERED" if recovered_s is None else f"recovered {recovered_s:.1f} s after"
    print(f"{time.monotonic() - began:6.1f} s  {fault}: {shown} {words}", flush=True)


@contextmanager
def _small_volume(path: Path) -> Iterator[Path | None]:
    """Mount a small volume; None where that is not possible."""
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={VOLUME},mode=0711", "stowage-chaos", str(path)]
    mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield path if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", str(path)], check=True)


def _compiled_clock(folder: Path) -> Path | None:
    """Compile what moves the clock of the processes that it is preloaded into; None where there is no compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source, made = Path(__file__).with_name("clock.c"), folder / "clock.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", made, source], check=True)
    return made


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load.chaos", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--faults", type=int, default=6)
    parser.add_argument("--users", type=int, default=6)
    parser.add_argument("--only", action="append", default=[], help="a fault by name; may be repeated")
    parser.add_argument("--within-minutes", type=float, default=9.0, help="of the faults")
    parser.add_argument("--record", action="store_true", help="add the results to docs/reliability.md")
    parser.add_argument("--logs", type=Path, help="keep logs and journals in this folder")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
