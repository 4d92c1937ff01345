"""The example team: plans and sweeps over the paper's types, to be looked at, removed and brought back."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from stowage.jobs.queue import Part, Queue
from stowage.store import jobs as job_store
from stowage.store import plans as plan_store
from stowage.store import sweeps as sweep_store
from stowage.store.database import Database
from stowage.store.orgs import EXAMPLE_ORG_ID
from stowage.usecases import jobs, plans, sweeps
from stowage.usecases.jobs import Held
from stowage.usecases.sweep_file import SweepFile
from stowage.usecases.sweeps import NewIds
from stowage.usecases.workload_file import parse_workload

ASKED_BY = "stowage demo"


def _id(name: str) -> UUID:
    """Give the same id each time, so that loading twice stores once."""
    return uuid5(NAMESPACE_URL, f"stowage:example:{name}")


JOB_ID = _id("job")

_SORT = {"data": "100 TB", "job": "sort"}
_PAPER = {"catalogue": "paper-2014"}

PLANS: tuple[dict[str, Any], ...] = (
    {
        "workload": {**_SORT, "name": "100 TB sort in half an hour"},
        "place": _PAPER,
        "limits": {"deadline": "30 min", "max_nodes": 200},
    },
    {
        "workload": {
            **_SORT,
            "name": "The same with a second copy of the output",
            "durability": {"model": "application", "replicas": 2},
        },
        "place": _PAPER,
        "limits": {"deadline": "30 min", "max_nodes": 200},
    },
    {
        "workload": {
            **_SORT,
            "name": "Which types would win on a network without limit",
            "runs_per_month": 30.0,
        },
        "place": _PAPER,
        "limits": {"max_nodes": 1000},
        "assume": {"network": "unlimited"},
    },
    {
        "workload": {**_SORT, "name": "Too much to ask: 5 minutes on 100 nodes"},
        "place": _PAPER,
        "limits": {"deadline": "5 min", "max_nodes": 100},
    },
)

SWEEPS: tuple[dict[str, Any], ...] = (
    {
        "name": "What a deadline costs, by data size",
        "base": {"workload": {"data": "100 TB"}, "place": _PAPER},
        "columns": {"quantity": "data", "values": ["1 TB", "3 TB", "10 TB", "30 TB", "100 TB", "300 TB", "1 PB"]},
        "rows": {"quantity": "deadline", "values": ["10 min", "15 min", "30 min", "1 h", "2 h", "4 h", "8 h"]},
    },
    {
        "name": "What copies cost where the network does not limit",
        "base": {
            "workload": {"data": "100 TB"},
            "place": _PAPER,
            "limits": {"max_nodes": 1000},
            "assume": {"network": "unlimited"},
        },
        "columns": {"quantity": "data", "values": ["1 TB", "5 TB", "20 TB", "100 TB", "500 TB"]},
        "rows": {"quantity": "replicas", "values": ["1", "2", "3"]},
    },
)


def load_in_background(database: Database, queue: Queue, now: datetime) -> None:
    """Let a worker load the example team; safe to repeat."""
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        if job_store.get(connection, JOB_ID) is None:
            job_store.insert(
                connection,
                job_id=JOB_ID,
                kind="demo",
                subject_id=EXAMPLE_ORG_ID,
                asked_by=ASKED_BY,
                total=1,
                parts=1,
                now=now,
            )
    jobs.enqueue(database, EXAMPLE_ORG_ID, queue, JOB_ID, "demo")


def load(database: Database, queue: Queue, now: datetime) -> None:
    """Store the example team's plans and start its sweeps; what is there already is left as it is."""
    for number, document in enumerate(PLANS):
        plans.save_plan(
            database,
            EXAMPLE_ORG_ID,
            parse_workload(document),
            plan_id=_id(f"plan {number}"),
            now=now,
            clock=lambda: 0.0,
        )
    for number, document in enumerate(SWEEPS):
        sweeps.start_sweep(
            database,
            EXAMPLE_ORG_ID,
            queue,
            SweepFile.model_validate(document),
            ids=NewIds(_id(f"sweep {number}"), _id(f"sweep {number} job")),
            asked_by=ASKED_BY,
            now=now,
        )


def compute(database: Database, queue: Queue, clock: Callable[[], float]) -> None:
    """Compute the sweeps here, where no worker would."""
    for number in range(len(SWEEPS)):
        sweep = sweeps.read_sweep(database, EXAMPLE_ORG_ID, _id(f"sweep {number}"))
        for part in range(sweep.job.total):
            jobs.work_on_part(
                database,
                queue,
                Part(EXAMPLE_ORG_ID, sweep.job.id, "sweep", part),
                {"sweep": sweeps.compute_part},
                clock,
            )


def load_part(held: Held) -> None:
    """Load the example team; the work of a job of kind `demo`."""
    load(held.database, held.queue, held.job.created_at)
    with held.database.transaction(held.org_id) as connection:
        job_store.advance(connection, held.claim, 1)
        job_store.finish(connection, held.claim)


def remove(database: Database) -> None:
    """Delete everything of the example team."""
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        plan_store.delete_all(connection)
        sweep_store.delete_all(connection)
        job_store.delete_all(connection)
