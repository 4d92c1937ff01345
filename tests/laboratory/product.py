"""Stowage as a user starts it, with the laboratory as its AWS, used over its API by a person."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import psutil

from aws_enforced import Enforced
from database import passable_folder
from laboratory.account import BUCKET, ROLE
from laboratory.lab import Laboratory
from process import Running, running

PATIENCE_S = 240.0
POLL_S = 0.5
"""Interval of looks at a run; each takes 25 ms of CPU time."""
API = "/api/v1"
ENDED = {"done", "failed", "cancelled"}

PACE: Mapping[str, float] = {
    "look_s": 0.5,
    "boot_s": 240.0,
    "silent_s": 240.0,
    "stop_s": 5.0,
    "tear_down_s": 20.0,
    "timer_s": 60.0,
    "collect_s": 5.0,
    "settle_s": 2.0,
    "settle_looks": 3,
    "unseen_s": 6.0,
    "denied_s": 4.0,
}
"""Minutes at AWS are seconds here; but a node that is slow because the machine is busy does not count as lost."""

HASTE: Mapping[str, float] = {"boot_s": 25.0, "silent_s": 20.0}
"""Settings for nodes that are silent on purpose."""

NETWORK: Mapping[str, Any] = {
    "benchmark": "netbench",
    "instance": "m5.large",
    "nodes": 2,
    "region": "us-east-1",
    "placement_group": True,
    "time_limit_s": 600.0,
    "net": {"measured_s": 5.0, "warm_up_s": 0.5, "compare": False},
}


@dataclass
class Product:
    """The service, and a connected account."""

    up: Running
    client: httpx.Client
    lab: Laboratory
    account: str

    def ask(self, path: str) -> Any:
        """Send a GET request."""
        answer = self.client.get(f"{API}{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def tell(self, path: str, content: Mapping[str, Any] | None = None) -> Any:
        """Send a POST request."""
        answer = self.client.post(f"{API}{path}", json=content)
        assert answer.status_code in {200, 201, 202}, answer.text
        return answer.json()

    def approved(self, spec: Mapping[str, Any], before: Callable[[str], None] = lambda _: None) -> Any:
        """Create a run and approve it at its price; `before` receives its id first."""
        run = self.tell("/runs", {"name": "A run", "account_id": self.account, "spec": dict(spec)})
        before(run["id"])
        return self.tell(f"/runs/{run['id']}/approve", {"agreed_usd": run["quoted_usd"]})

    def run(self, run_id: str) -> Any:
        """Read a run, retrying while the service restarts."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = self.client.get(f"{API}/runs/{run_id}")
            except httpx.TransportError:
                if time.monotonic() > deadline:
                    raise
                continue
            if answer.status_code < 500:
                assert answer.status_code == 200, answer.text
                return answer.json()
            assert time.monotonic() < deadline, answer.text
            time.sleep(0.1)

    def until(self, run_id: str, come: Callable[[Any], bool], within_s: float = PATIENCE_S) -> Any:
        """Wait until a run fulfils a condition or has ended."""
        deadline = time.monotonic() + within_s
        while not come(run := self.run(run_id)) and run["state"] not in ENDED:
            assert time.monotonic() < deadline, self.told(run)
            assert not self.lab.hypervisor.problems, self.lab.hypervisor.problems
            time.sleep(POLL_S)
        return run

    def ended(self, run_id: str, within_s: float = PATIENCE_S) -> Any:
        """Wait until a run has ended."""
        return self.until(run_id, lambda run: run["state"] in ENDED, within_s)

    def told(self, run: Any) -> str:
        """Return all that is known of a run, for the message of a failed test."""
        events = "\n".join(f"{each['at']} {each['kind']}: {each['words']}" for each in run["log"])
        return f"{run['state']} {run['failure']} {run['trouble']}\n{events}\n{self.lab.hypervisor.console()}"

    def kill(self, name: str) -> None:
        """Kill a part of the service with all its child processes; its supervisor restarts it."""
        part = self.up.child(name)
        family = [part, *part.children(recursive=True)]
        for each in family:
            try:
                each.kill()
            except psutil.NoSuchProcess:
                continue
        assert self.up.told().endswith("was ended by SIGKILL and was started again\n")


@contextmanager
def product(lab: Laboratory, pace: Mapping[str, float] = PACE) -> Iterator[Product]:
    """Start the service, and connect the laboratory's account as a person does."""
    with passable_folder("stowage-runs-") as home:
        settings = {
            "STOWAGE_HOME": str(home / "state"),
            "STOWAGE_API_PROCESSES": "1",
            "STOWAGE_PROCESSES": "1",
            "STOWAGE_RUNS_PACE": json.dumps(dict(pace)),
            **lab.environment(),
        }
        with running(settings) as up:
            client = up.client()
            started = Product(up, client, lab, "")
            added = started.tell("/aws-accounts", {"name": "Benchmarks"})
            # From now on, actions that the template's role does not allow are denied, as IAM would.
            lab.between.external_id = added["external_id"]
            enforced = Enforced(lab.between.supplies, lab.account, lab.supplied, BUCKET)
            enforced.trust(added["external_id"])
            lab.between.supplies = enforced
            where = f"{API}/aws-accounts/{added['id']}"
            changed = client.patch(where, json={"role_arn": ROLE, "bucket": BUCKET})
            assert changed.status_code == 200, changed.text
            started.tell(f"/aws-accounts/{added['id']}/check")
            deadline = time.monotonic() + PATIENCE_S
            while (account := started.ask(f"/aws-accounts/{added['id']}"))["state"] != "connected":
                assert time.monotonic() < deadline, account
                assert account["state"] != "failing", account
                time.sleep(0.1)
            started.account = added["id"]
            # The check may have tried forbidden actions; runs may not.
            tried = list(enforced.refused)
            yield started
            more = [f"{each.action} on {each.resource}" for each in enforced.refused if each not in tried]
            assert more == [], "Stowage asks for more than the template's role may do"
