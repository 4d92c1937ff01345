"""Faults and their timing: each fault at each step of a run, and the conditions that hold in all cases."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from botocore.exceptions import ClientError

from laboratory.account import BUCKET
from laboratory.between import Call, Fault
from laboratory.product import ENDED, NETWORK, PATIENCE_S, Product

Step = Literal["approved", "launching", "running", "collecting", "tearing-down"]
STEPS: tuple[Step, ...] = ("approved", "launching", "running", "collecting", "tearing-down")

_AT: Mapping[Step, str] = {
    "approved": "ec2:Describe*",
    "launching": "ec2:RunInstances",
    "running": "ec2:DescribeInstances",
    "collecting": "ec2:DescribeInstances",
    "tearing-down": "ec2:*",
}
"""Worker call at which a run is held while a fault occurs, so that the run is certainly in that step."""

TOLD = "fault"
"""Property under which tests report outcomes, which the end of the output lists (tests/conftest.py)."""

SILENT = "agent never reports"

UNHARMED = {"worker killed", "Redis restarted", "PostgreSQL restarted", "calls throttled", "results posted twice"}
"""Faults that a run survives with all its results."""

_LAST = 1
_RUNS_WORKER = "stowage short"


@dataclass(frozen=True, slots=True)
class Row:
    """Outcome of a fault at a step."""

    fault: str
    step: str
    outcome: str
    """The state in which the run ended."""
    left: Mapping[str, list[str]]
    """Resources in the account at the end."""
    billed_usd: float
    """By the simulated bill."""
    quoted_usd: float
    """As approved."""
    words: str
    """Reason of the failure, or what is missing."""

    def line(self) -> str:
        left = ", ".join(f"{len(ids)} {kind}" for kind, ids in self.left.items()) or "none"
        return (
            f"{self.fault:<22} {self.step:<13} {self.outcome:<7} {left:<6} "
            f"{self.billed_usd:.4f} / {self.quoted_usd:.2f}  {self.words}"
        ).rstrip()


HEAD = f"{'fault':<22} {'step':<13} {'outcome':<7} {'left':<6} USD billed / quoted"


def worker_killed(service: Product) -> None:
    service.kill(_RUNS_WORKER)


def redis_restarted(service: Product) -> None:
    service.kill("redis-server")


def postgres_restarted(service: Product) -> None:
    service.kill("postgres")


def throttled(service: Product) -> None:
    service.lab.between.fail("ec2:*", "throttle", 6)


def no_room_for_the_last(service: Product) -> None:
    """Set a zone's capacity to one machine too few; EC2 takes back the last one of a running cluster."""
    service.lab.supplied.room["us-east-1a"] = _LAST
    for node in list(service.lab.hypervisor.nodes.values()):
        if node.index == _LAST:
            service.lab.account.end(node.id, "Server.InsufficientInstanceCapacity", "There is not enough capacity")


def last_ended_by_ec2(service: Product) -> None:
    service.lab.hypervisor.stillborn = {_LAST}


def node_dies(service: Product) -> None:
    service.lab.hypervisor.doomed = {_LAST}
    for node in list(service.lab.hypervisor.nodes.values()):
        if node.index == _LAST:
            service.lab.hypervisor.kill(node)


def node_is_silent(service: Product) -> None:
    service.lab.hypervisor.mute = {_LAST}
    for node in list(service.lab.hypervisor.nodes.values()):
        if node.index == _LAST:
            node.hears = False


def posted_twice(service: Product) -> None:
    """Send reports a second time unchanged, and once more altered; send some where there are none yet."""
    s3 = service.lab.account.s3
    listed = s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    there = {each["Key"] for each in listed}
    prefix = next((key.rpartition("/")[0] for key in there if key.endswith("agent.pyz")), None)
    if prefix is not None:
        for name in ("net-2.json", "net-64.json"):
            if (key := f"{prefix}/nodes/0000/{name}") not in there:
                _put_if_none(s3, key, b'{"signed":"{}","hmac_sha256":"00"}')
    for each in listed:
        if "/nodes/" in each["Key"] and not each["Key"].endswith("status.json"):
            content = s3.get_object(Bucket=BUCKET, Key=each["Key"])["Body"].read()
            s3.put_object(Bucket=BUCKET, Key=each["Key"], Body=content + b" ")
            s3.put_object(Bucket=BUCKET, Key=each["Key"], Body=content)


def _put_if_none(s3: Any, key: str, body: bytes) -> None:
    """Put an object unless its node has just put it: a report that is overwritten is lost."""
    try:
        s3.put_object(Bucket=BUCKET, Key=key, Body=body, IfNoneMatch="*")
    except ClientError as error:
        if error.response["Error"]["Code"] != "PreconditionFailed":
            raise


def revoked(service: Product) -> None:
    service.lab.between.revoked = True


FAULTS: Mapping[str, Callable[[Product], None]] = {
    "worker killed": worker_killed,
    "Redis restarted": redis_restarted,
    "PostgreSQL restarted": postgres_restarted,
    "calls throttled": throttled,
    "no room for the last": no_room_for_the_last,
    "last ended by EC2": last_ended_by_ec2,
    "node dies": node_dies,
    SILENT: node_is_silent,
    "results posted twice": posted_twice,
    "credentials revoked": revoked,
}


def strike(service: Product, fault: str, step: Step) -> Row:
    """Run a benchmark with a fault at a step, wait for its end, and read the account and the bill."""
    lab = service.lab
    before = lab.billed_usd()
    held: list[Fault] = []

    def hold(run_id: str) -> None:
        def is_there(call: Call) -> bool:
            return call.parameters.get("DryRun") != "true" and _is_in(service.run(run_id), step)

        held.append(lab.between.fail(_AT[step], "hold", 1, is_there))
        if step == "running":
            # Results wait until the run is held: on a busy machine it may not poll before all of them have arrived.
            held.append(lab.between.fail("s3:PutObject", "hold", None, _is_result))

    try:
        run = service.approved(NETWORK, hold)
        reached = held[0].reached.wait(PATIENCE_S)
        assert reached, service.told(service.run(run["id"]))
        for results in held[1:]:
            results.go_on.set()
        FAULTS[fault](service)
        held[0].go_on.set()
        # While the account cannot be read, the run waits for its nodes as long as they may take.
        run = service.ended(run["id"], 2 * NETWORK["time_limit_s"] if lab.between.revoked else PATIENCE_S)
        if lab.between.revoked:
            _ends_itself(service, run)
        lab.hypervisor.empty()
    finally:
        _mend(service)
    left: Mapping[str, list[str]] = lab.left()
    if fault == "credentials revoked":
        # Free resources could not be deleted meanwhile: the sweep deletes them now that it can.
        assert not {"instances", "volumes", "network interfaces"} & left.keys(), left
        left = _swept(service, run["id"])
    words: str = run["failure"] or ""
    return Row(fault, step, run["state"], left, lab.billed_usd() - before, run["agreed_usd"], words)


def _is_in(run: Any, step: Step) -> bool:
    """Return whether a run is in a step; for `running`, whether it is measuring."""
    return run["state"] == step and (step != "running" or any(node["phase"] for node in run["nodes"]))


def _is_result(call: Call) -> bool:
    """Return whether a call is a node's upload of results."""
    key = call.parameters["Key"]
    return call.presigned and "/nodes/" in key and not key.endswith("status.json")


def _ends_itself(service: Product, run: Any) -> None:
    """Check that each remaining machine has a timer that fires before the deadline; let it fire."""
    nodes = list(service.lab.hypervisor.nodes.values())
    due = service.lab.hypervisor.let_timers_fire()
    assert len(due) >= len(nodes), service.told(run)
    if due:
        assert run["verified"] is False, service.told(run)


def _swept(service: Product, run_id: str) -> Mapping[str, list[str]]:
    service.until(run_id, lambda _: not service.lab.left())
    for _ in range(1200):
        if not (left := service.lab.left()):
            return left
        time.sleep(0.1)
    return left


def _mend(service: Product) -> None:
    service.lab.between.heal()
    service.lab.between.revoked = False
    service.lab.supplied.room.clear()
    hypervisor = service.lab.hypervisor
    hypervisor.stillborn, hypervisor.doomed, hypervisor.mute = set(), set(), set()


def withstand(service: Product, fault: str, step: Step, record_property: Callable[[str, object], None]) -> None:
    """Run a benchmark that meets a fault at a step, report its row, and check it."""
    row = strike(service, fault, step)
    record_property(TOLD, row.line())
    ends_well_or_says_why(row)


def holds(row: Row) -> None:
    """Check that a run ended in a correct state, left no resources, and cost no more than was approved."""
    assert row.outcome in ENDED, row.line()
    assert not row.left, row.line()
    assert row.billed_usd <= row.quoted_usd, row.line()
    # The reader must learn which results are missing, and no reason may be given if none is missing.
    assert bool(row.words) == (row.outcome != "done"), row.line()


def ends_well_or_says_why(row: Row) -> None:
    """Check a run that met a fault; it must be done if the fault affects no result."""
    holds(row)
    # Without access to the account, Stowage cannot state that nothing is left, however late the access is lost.
    if row.fault in UNHARMED or (row.step == "tearing-down" and row.fault != "credentials revoked"):
        assert row.outcome == "done", row.line()
