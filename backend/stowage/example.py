"""The example team: published measurements; plans, sweeps and a report of the paper; plans with today's types.

The plans with today's types have a baseline, so that they state what they save.

`stowage demo` loads, removes and reloads it.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from stowage.features.catalog import catalogs
from stowage.features.measurements import measurements, profiles, stored_readings, upload_reading, uploads
from stowage.features.measurements.schemas import Keeping, NewUpload, ReadingToKeep, TargetSection
from stowage.features.measurements.store import profiles as profile_store
from stowage.features.measurements.store import uploads as upload_store
from stowage.features.measurements.store.uploads import PIECE_BYTES, StagedReading
from stowage.features.planning import plans
from stowage.features.planning import store as plan_store
from stowage.features.planning.decided import Decided
from stowage.features.reports import files as report_files
from stowage.features.reports import reports
from stowage.features.reports.schemas import NewReport
from stowage.features.reports.store import reports as report_store
from stowage.features.sweeps import store as sweep_store
from stowage.features.sweeps import sweeps
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.features.sweeps.sweeps import NewIds
from stowage.measure.asking import guess, missing, needs_of
from stowage.measure.seeds import SEEDS, Seed
from stowage.model.hardware.catalog import Catalog
from stowage.platform.access import Actor
from stowage.platform.database.database import Database
from stowage.platform.database.orgs import EXAMPLE_ORG_ID
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.job import NewJob
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.workloads.workload_file import parse_workload

ASKED_BY = "stowage demo"

_READ_WITHIN_S = 60.0
_LOOK_EVERY_S = 0.2


def _id(name: str) -> UUID:
    """Derive the id of an object from its name.

    The id is always the same, so a repeated load of the example team creates no duplicates.
    """
    return uuid5(NAMESPACE_URL, f"stowage:example:{name}")


JOB_ID = _id("job")

_SORT = {"data": "100 TB", "job": "sort"}
_PAPER = {"catalog": "paper-2014"}
_AS_THE_PAPER = {"usual": "ignored"}
"""Only the assumptions of the paper; the input is already on the cluster's disks."""

PLANS: tuple[dict[str, Any], ...] = (
    {
        "workload": {**_SORT, "name": "100 TB sort in half an hour"},
        "place": _PAPER,
        "limits": {"deadline": "30 min", "max_nodes": 200},
        "assume": _AS_THE_PAPER,
    },
    {
        "workload": {
            **_SORT,
            "name": "The same with a second copy of the output",
            "durability": {"model": "application", "replicas": 2},
        },
        "place": _PAPER,
        "limits": {"deadline": "30 min", "max_nodes": 200},
        "assume": _AS_THE_PAPER,
    },
    {
        "workload": {
            **_SORT,
            "name": "Which types would win on a network without limit",
            "runs_per_month": 30.0,
        },
        "place": _PAPER,
        "limits": {"max_nodes": 1000},
        "assume": {"network": "unlimited", **_AS_THE_PAPER},
    },
    {
        "workload": {**_SORT, "name": "Too much to ask: 5 minutes on 100 nodes"},
        "place": _PAPER,
        "limits": {"deadline": "5 min", "max_nodes": 100},
        "assume": _AS_THE_PAPER,
    },
    {
        "workload": {**_SORT, "name": "The same on EBS volumes", "durability": {"model": "infrastructure"}},
        "place": _PAPER,
        "limits": {"deadline": "1 h", "max_nodes": 330},
        # As the paper's section 5.3: of r3.4xlarge neither own disk nor network limits, and neither was measured.
        "choose": {"instances": ["r3.4xlarge"]},
        "measured": {"storage_mb_per_s": 10_000.0, "network_mb_per_s": 10_000.0},
        "assume": _AS_THE_PAPER,
    },
    {
        "workload": {"name": "Nightly sort of 20 TB", "job": "sort", "data": "20 TB", "runs_per_month": 30.0},
        "limits": {"deadline": "1 h", "max_nodes": 100},
    },
    {
        "workload": {"name": "HDFS archive of 200 TB", "job": "hdfs-read", "data": "200 TB", "replication": 3},
        "objective": "month",
        "limits": {"deadline": "8 h", "max_nodes": 200},
    },
)
BASELINES: Mapping[int, dict[str, Any]] = {
    5: {"instance": "i3.8xlarge", "nodes": 60},
    6: {"instance": "d3en.4xlarge", "nodes": 16},
}
"""Cluster that runs today, by the number of its plan."""

DURABILITIES = (0, 1, 4)
"""Which of the plans are the paper's three ways to keep the data."""
REPORT_ID = _id("report 0")
REPORT: dict[str, Any] = {
    "title": "100 TB sort: three ways to keep the data",
    "words": (
        "The three ways in which the SoCC 2015 paper keeps the data of a 100 TB sort, with its prices and measurements "
        "of 2014. One copy on the nodes' own disks is enough for what can be sorted again. Two copies and EBS cost "
        "about the same more: EBS takes longer, and keeps the data when the nodes are gone."
    ),
    "origin": {"kind": "comparison", "plan_ids": [str(_id(f"plan {number}")) for number in DURABILITIES]},
    # What the paper itself ran with one copy.
    "today": {
        "instance": "i2.8xlarge",
        "nodes": 178,
        "storage": {"kind": "instance-store", "input_output_disks": 4, "intermediate_disks": 4},
    },
    "outlook": {"growth_pct_per_month": 2.0, "months": 36},
}
"""What is published of them."""

SWEEPS: tuple[dict[str, Any], ...] = (
    {
        "name": "What a deadline costs, by data size",
        "base": {"workload": {"data": "100 TB"}, "place": _PAPER, "assume": _AS_THE_PAPER},
        "columns": {"quantity": "data", "values": ["1 TB", "3 TB", "10 TB", "30 TB", "100 TB", "300 TB", "1 PB"]},
        "rows": {"quantity": "deadline", "values": ["10 min", "15 min", "30 min", "1 h", "2 h", "4 h", "8 h"]},
    },
    {
        "name": "What copies cost where the network does not limit",
        "base": {
            "workload": {"data": "100 TB"},
            "place": _PAPER,
            "limits": {"max_nodes": 1000},
            "assume": {"network": "unlimited", **_AS_THE_PAPER},
        },
        "columns": {"quantity": "data", "values": ["1 TB", "5 TB", "20 TB", "100 TB", "500 TB"]},
        "rows": {"quantity": "replicas", "values": ["1", "2", "3"]},
    },
)


def load_in_background(database: Database, queue: Queue, now: datetime) -> None:
    """Start a job that loads the example team, unless the job exists."""
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        if job_store.get(connection, JOB_ID) is None:
            job_store.insert(connection, NewJob(JOB_ID, "demo", EXAMPLE_ORG_ID, ASKED_BY, now))
    jobs.enqueue(database, EXAMPLE_ORG_ID, queue, JOB_ID, "demo")


def load(database: Database, queue: Queue, now: datetime) -> None:
    """Store the example team's measurements and plans, start its sweeps and publish its report.

    Existing objects are left unchanged.
    """
    catalog = catalogs.newest_catalog(database)
    for seed in SEEDS:
        _keep(database, queue, seed, catalog, now)
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        known = profile_store.newest(connection)
    if known is not None:
        # Sweeps use the measurements from before their start, so they must start after the newest of these.
        now = max(now, known.created_at)
    for number, document in enumerate(PLANS):
        plans.save_plan(
            database,
            EXAMPLE_ORG_ID,
            parse_workload(document),
            plan_id=_id(f"plan {number}"),
            now=now,
            clock=lambda: 0.0,
            decided=Decided.model_validate({"today": BASELINES.get(number)}),
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
    _publish(database, queue, now)


def _publish(database: Database, queue: Queue, now: datetime) -> None:
    """Publish the report of the example team unless it exists."""
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        there = report_store.summary(connection, REPORT_ID) is not None
    if not there:
        reports.publish_report(
            database,
            EXAMPLE_ORG_ID,
            queue,
            NewReport.model_validate(REPORT),
            report_id=REPORT_ID,
            author=ASKED_BY,
            now=now,
        )


def _keep(database: Database, queue: Queue, seed: Seed, catalog: Catalog, now: datetime) -> None:
    """Upload, read and store a file of published measurements.

    The functions are the same as for files of users. A file that is already stored is skipped.
    """
    upload_id = _id(f"upload {seed.name}")
    with seed.open() as file:
        content = file.read()
    new = NewUpload(name=seed.name, size_bytes=len(content))
    # Quotas count attempts of people only.
    who = Actor("system", ASKED_BY)
    upload = uploads.begin_upload(database, database, EXAMPLE_ORG_ID, new, upload_id=upload_id, who=who, now=now)
    if upload.state == "kept":
        return
    if upload.state == "arriving":
        for number, first in enumerate(range(0, len(content), PIECE_BYTES)):
            piece = content[first : first + PIECE_BYTES]
            uploads.add_piece(database, EXAMPLE_ORG_ID, upload_id, number, piece)
    if upload.state != "read":
        _read(database, queue, seed, now)
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        staged = upload_store.readings(connection, upload_id)
    keeping = Keeping(readings=[_to_keep(each, catalog) for each in staged], source=seed.source)
    measurements.keep(database, EXAMPLE_ORG_ID, upload_id, keeping, person=ASKED_BY, now=now)


def _read(database: Database, queue: Queue, seed: Seed, now: datetime) -> None:
    """Read the uploaded file of published measurements in this process.

    If a worker has already claimed the job, wait for the worker instead.
    """
    upload_id, job_id = _id(f"upload {seed.name}"), _id(f"upload {seed.name} job")
    started = uploads.start_reading(
        database, EXAMPLE_ORG_ID, queue, upload_id, job_id=job_id, asked_by=ASKED_BY, now=now
    )
    if started.job is None:
        return
    part = Part(EXAMPLE_ORG_ID, started.job.id, "upload", 0)
    give_up_at = time.monotonic() + _READ_WITHIN_S
    while time.monotonic() < give_up_at:
        jobs.work_on_part(database, queue, part, {"upload": upload_reading.read_part}, time.monotonic)
        if jobs.read_job(database, EXAMPLE_ORG_ID, part.job_id).state not in {"queued", "running"}:
            return
        time.sleep(_LOOK_EVERY_S)


def _to_keep(staged: StagedReading, catalog: Catalog) -> ReadingToKeep:
    """Build the request to store a result, with the target (what was measured) that its file states.

    If required fields of the target are missing, the request is not to store the result. This is the case for two
    results of the paper, which does not state the volume type of its EBS rates.
    """
    reading = stored_readings.read(staged.content)
    target = guess(reading, {}, catalog).target()
    lacking = [need.field for need in missing(target, needs_of(reading)) if need.field != "region"]
    section = TargetSection.model_validate(target.to_dict())
    return ReadingToKeep(position=staged.position, target=section, keep=not lacking)


def compute(database: Database, queue: Queue, clock: Callable[[], float]) -> None:
    """Compute the sweeps and build the files of the report in this process.

    Used when no workers run.
    """
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
    documents = reports.read_report(database, EXAMPLE_ORG_ID, REPORT_ID).documents
    if documents.job_id is not None:
        jobs.work_on_part(
            database,
            queue,
            Part(EXAMPLE_ORG_ID, documents.job_id, "document", 0),
            {"document": lambda claimed: report_files.make_part(claimed, None)},
            clock,
        )


def load_part(claimed: ClaimedPart) -> None:
    """Load the example team as the only part of a job of kind `demo`."""
    load(claimed.database, claimed.queue, claimed.job.created_at)
    with claimed.database.transaction(claimed.org_id) as connection:
        job_store.advance(connection, claimed.claim, 1)
        job_store.finish(connection, claimed.claim)


def remove(database: Database) -> None:
    """Delete all data of the example team."""
    catalog = catalogs.newest_catalog(database)
    with database.transaction(EXAMPLE_ORG_ID) as connection:
        upload_store.one_at_a_time(connection)
        upload_store.delete_all(connection)
        profiles.renew(connection, catalog, "the example team was emptied")
        report_store.delete_all(connection)
        plan_store.delete_all(connection)
        sweep_store.delete_all(connection)
        job_store.delete_all(connection)
