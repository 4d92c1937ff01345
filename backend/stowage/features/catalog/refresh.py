"""Refresh of the catalog from AWS: start a refresh, read prices and instance types, and build a new version.

A refresh is a job of several parts. A part is one query to AWS for one region, and is read page by page. Each page is
stored with the token of the next page, so that another worker can resume the part after a crash. The worker of the last
part builds the new version, and stores it in the transaction that ends the job. The catalog therefore never has results
of an unfinished or failed refresh.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from threading import Event
from typing import Any, Literal, Protocol, get_args
from uuid import UUID, uuid4

from stowage.catalog import aws_prices
from stowage.catalog.assemble import Answers, assemble
from stowage.catalog.schedule import Schedule
from stowage.catalog.snapshot import with_digest
from stowage.features.catalog.refresh_answers import Credentials, RefreshAnswer
from stowage.features.catalog.store import catalog as catalog_store
from stowage.features.catalog.store import refresh as store
from stowage.features.teams.sign_in.store import team as team_store
from stowage.frozen import frozen
from stowage.platform.database.database import Connection, Database
from stowage.platform.errors import BadInput, Conflict, Problem
from stowage.platform.jobs import jobs
from stowage.platform.jobs import store as job_store
from stowage.platform.jobs.job import Job
from stowage.platform.jobs.jobs import ClaimedPart
from stowage.platform.jobs.queue import Queue
from stowage.platform.problems import shown

Source = Literal["types", "offerings", "spot", "instances", "volumes", "iops", "throughput", "snapshots", "transfer"]

SOURCES: tuple[Source, ...] = get_args(Source)
"""Queries for each region; each is one part."""

CREDENTIALS = "aws-credentials"
"""Key under which a worker stores whether it has AWS credentials."""

_SPOT_SINCE = timedelta(hours=3)
_BUDGET_S = 20.0
"""Time after which a part is put back to be resumed [s]. The longest page may begin just before: with
`stowage_worker.aws.session.LONGEST_PAGE_S`, 20 + 85 s leave 15 s of Celery's 120 to build the new version."""

_STALE_AFTER = timedelta(days=1)
_MOST_NAMED = 5
_KNOWN_CREDENTIALS: Mapping[str | None, Credentials] = {"found": "found", "missing": "missing"}


@frozen
class AwsRequest:
    """A query to AWS for one kind of data of one region."""

    region: str
    source: Source
    since: datetime
    """Start of the period for which spot prices are requested."""


@frozen
class Page:
    """One page of AWS' answer."""

    rows: Sequence[Mapping[str, Any]]
    """Rows of AWS' API as JSON documents, with times in ISO 8601; entries of the price list are parsed."""
    next_token: str | None
    """Token of the next page; None on the last page."""


class Reader(Protocol):
    """Client for AWS' price list and EC2."""

    def page(self, question: AwsRequest, token: str | None) -> Page:
        """Request one page of AWS' answer to a query; if there is no token, the first page.

        Raises
        ------
        NotAnswered
            AWS did not answer or refused the query; an immediate retry does not help.
        TokenExpired
            The token has expired: the query must start from the first page.
        """


class NotAnswered(jobs.CannotGoOn):
    """AWS did not answer or refused the query; the message states cause and remedy."""


class TokenExpired(Exception):
    """AWS no longer accepts a page token, because it has expired."""


def start_refresh(
    database: Database, org_id: UUID, queue: Queue, regions: Sequence[str], *, asked_by: str, now: datetime
) -> Job:
    """Start a refresh from AWS; if one is in progress, return that refresh instead.

    Raises
    ------
    BadInput
        A region is not in the newest catalog, or no catalog is stored.
    """
    with database.transaction(org_id) as connection:
        store.one_at_a_time(connection)
        job_id = store.unfinished_job(connection)
        if job_id is None:
            _refuse_regions(regions, store.regions_of_newest(connection))
            job_id = _insert(connection, regions, asked_by, now)
    return _sent(database, org_id, queue, job_id)


def refresh_if_due(database: Database, org_id: UUID, queue: Queue, schedule: Schedule, *, now: datetime) -> Job | None:
    """Start a refresh if the schedule requires one now.

    Of several concurrent calls, only one starts the refresh. The interval is counted from the newest refresh of the
    schedule's regions, whether it was scheduled or requested. A cancelled refresh counts only if it was scheduled,
    because the schedule would otherwise start it again at once. No refresh starts for a deleted team; the next start of
    the service creates the team again (`stowage.cli.server.preparation`).

    Raises
    ------
    BadInput
        A region of the schedule is not in the newest catalog.
    """
    if schedule.every_s is None:
        return None
    with database.transaction(org_id) as connection:
        if team_store.name_of(connection, org_id) is None:
            return None
        store.one_at_a_time(connection)
        last_start = store.last_start(connection, schedule.regions)
        due = last_start is None or last_start + timedelta(seconds=schedule.every_s) <= now
        if not due or store.unfinished_job(connection) is not None:
            return None
        _refuse_regions(schedule.regions, store.regions_of_newest(connection))
        job_id = _insert(connection, schedule.regions, store.SCHEDULE, now)
    return _sent(database, org_id, queue, job_id)


def read_refresh(database: Database, org_id: UUID, queue: Queue, schedule: Schedule) -> RefreshAnswer:
    """Return the result of the last refresh, and the requirements of the next refresh.

    The requirements are the schedule, the regions that can be refreshed, and the AWS credentials.
    """
    with database.transaction(org_id) as connection:
        newest = store.newest(connection)
        job = None if newest is None else job_store.get(connection, newest.job_id)
        regions = store.regions_of_newest(connection)
        version = store.newest_version(connection)
    return RefreshAnswer(
        job=job,
        regions_read=[] if newest is None else list(newest.regions),
        version=None if newest is None else newest.version,
        notes=[] if newest is None else list(newest.notes or ()),
        sentence=_sentence(newest, job),
        schedule=schedule,
        regions=list(regions),
        credentials=_KNOWN_CREDENTIALS.get(queue.noted(CREDENTIALS), "unknown"),
        newest_version=version,
    )


def read_part(claimed: ClaimedPart, reader: Reader) -> None:
    """Read the missing pages of one part of a refresh.

    If it is the last part, the new catalog version is built and stored.

    Raises
    ------
    ClaimLost
        The refresh was cancelled, or another worker reads the part.
    CannotGoOn
        AWS does not answer, or its answer is invalid or implausible.
    """
    with jobs.beating(claimed) as lost:
        with claimed.database.transaction(claimed.org_id) as connection:
            refresh = store.get(connection, claimed.job.subject_id)
        if refresh is None:
            raise job_store.ClaimLost
        if claimed.job.started_at is not None and claimed.job.started_at - refresh.created_at > _STALE_AFTER:
            raise jobs.CannotGoOn("What it has read is more than a day old: start a new refresh.")
        if not _read_pages(claimed, refresh, reader, lost):
            return
        with claimed.database.transaction(claimed.org_id) as connection:
            last = job_store.is_last(connection, claimed.claim)
            if not last:
                job_store.advance(connection, claimed.claim, 1)
                job_store.finish(connection, claimed.claim)
        if last:
            _conclude(claimed, refresh)


def _insert(connection: Connection, regions: Sequence[str], asked_by: str, now: datetime) -> UUID:
    """Store a new refresh with its job, and return the id of the job."""
    row = store.StoredRefresh(uuid4(), uuid4(), tuple(regions), now)
    store.insert_refresh(connection, row, parts=len(SOURCES) * len(regions), asked_by=asked_by)
    return row.job_id


def _sent(database: Database, org_id: UUID, queue: Queue, job_id: UUID) -> Job:
    answer = jobs.read_job(database, org_id, job_id)
    if answer.state == "queued":
        jobs.enqueue(database, org_id, queue, job_id, "refresh")
    return answer


def _refuse_regions(regions: Sequence[str], known: Sequence[str]) -> None:
    problems = [
        Problem(f"regions.{number}", f"{shown(region)} is no region of the newest catalog; it has {', '.join(known)}")
        for number, region in enumerate(regions)
        if region not in known
    ]
    if len(set(regions)) < len(regions) or not regions:
        problems.append(Problem("regions", "must name at least one region, and each once"))
    if problems:
        raise BadInput(problems)


def _sentence(refresh: store.StoredRefresh | None, job: Job | None) -> str:
    if refresh is None or job is None:
        return "The catalog was never refreshed."
    if job.state == "done":
        return "Nothing has changed." if refresh.version is None else f"It made the catalog {refresh.version}."
    if job.state == "failed":
        return f"It failed, and the catalog is as before: {job.reason}"
    if job.state == "cancelled":
        return "It was cancelled, and the catalog is as before."
    return f"{job.done} of {job.total} parts are read."


def _question(refresh: store.StoredRefresh, part: int) -> AwsRequest:
    region, source = divmod(part, len(SOURCES))
    return AwsRequest(refresh.regions[region], SOURCES[source], refresh.created_at - _SPOT_SINCE)


def _read_pages(claimed: ClaimedPart, refresh: store.StoredRefresh, reader: Reader, lost: Event) -> bool:
    """Read the missing pages of a part; return False if the part was requeued to be continued later."""
    question, part = _question(refresh, claimed.claim.number), claimed.claim.number
    began_anew = False
    started = claimed.clock()
    with claimed.database.transaction(claimed.org_id) as connection:
        latest = store.last_page(connection, refresh.id, part)
    while latest is None or latest.next_token is not None:
        if lost.is_set():
            raise job_store.ClaimLost
        if claimed.clock() - started > _BUDGET_S:
            with claimed.database.transaction(claimed.org_id) as connection:
                job_store.release(connection, claimed.claim)
            return False
        try:
            page = reader.page(question, None if latest is None else latest.next_token)
        except TokenExpired as error:
            if began_anew:
                raise NotAnswered(f"AWS does not go on from its own pages of {question.source}: {error}") from error
            began_anew, latest = True, None
            with claimed.database.transaction(claimed.org_id) as connection:
                job_store.advance(connection, claimed.claim, 0)
                store.forget_part(connection, refresh.id, part)
            continue
        latest = store.LastPage(0 if latest is None else latest.page + 1, page.next_token)
        content = _kept(question, page.rows)
        with claimed.database.transaction(claimed.org_id) as connection:
            job_store.advance(connection, claimed.claim, 0)
            store.add_page(connection, refresh.id, part, page=latest, content=content)
    return True


def _kept(question: AwsRequest, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Extract the data that the new catalog version needs from the rows of a page."""
    if question.source == "types":
        return [dict(row) for row in rows]
    if question.source == "offerings":
        return [{"name": row["InstanceType"]} for row in rows]
    read = {"instances": aws_prices.instance_prices, "transfer": aws_prices.transfer_prices}.get(
        question.source, aws_prices.volume_prices
    )
    try:
        if question.source == "spot":
            return [asdict(aws_prices.spot_price(row)) for row in rows]
        return [asdict(price) for row in rows for price in read(row)]
    except aws_prices.UnreadablePrice as error:
        raise jobs.CannotGoOn(f"The price list of {question.region} is not understood: {error}.") from error


def _conclude(claimed: ClaimedPart, refresh: store.StoredRefresh) -> None:
    """Build the new catalog version from all pages of a refresh, and end the refresh.

    The version is stored in the transaction that ends the job.
    """
    as_of = refresh.created_at.date()
    with claimed.database.transaction(claimed.org_id) as connection:
        before = catalog_store.load(connection, store.newest_version(connection))
        contents = store.contents(connection, refresh.id)
    if len(contents) < len(SOURCES) * len(refresh.regions):
        raise jobs.CannotGoOn("Its pages were given up for a newer refresh: start a new one.")
    try:
        assembled = assemble(before, _answers(refresh, contents), name=f"aws-{as_of}", as_of=as_of)
    except KeyError as error:
        raise jobs.CannotGoOn(f"EC2 describes a type without what every type has: {error}.") from error
    if assembled.refusals:
        raise jobs.CannotGoOn(_incredible(assembled.refusals))
    with claimed.database.transaction(claimed.org_id) as connection:
        store.one_at_a_time(connection)
        if store.newest_version(connection) != before.version:
            raise jobs.CannotGoOn("Another refresh has made a catalog meanwhile: try again.")
        made = None
        if assembled.version is not None:
            name = store.free_name(connection, assembled.version.version)
            made = with_digest(replace(assembled.version, version=name))
            catalog_store.put_version(connection, made, origin="refresh")
        store.conclude(connection, refresh.id, version=None if made is None else made.version, notes=assembled.notes)
        # Last step: from here on, heartbeats of the other thread wait for the end of this transaction.
        job_store.advance(connection, claimed.claim, 1)
        job_store.finish(connection, claimed.claim)


def _incredible(refusals: Sequence[str]) -> str:
    more = f" And {len(refusals) - _MOST_NAMED} more." if len(refusals) > _MOST_NAMED else ""
    return f"What AWS answered cannot be believed: {'; '.join(refusals[:_MOST_NAMED])}.{more}"


def _answers(refresh: store.StoredRefresh, contents: Mapping[int, list[dict[str, Any]]]) -> list[Answers]:
    of: dict[tuple[str, Source], list[dict[str, Any]]] = {}
    for part, rows in contents.items():
        question = _question(refresh, part)
        of[question.region, question.source] = rows
    listed: tuple[Source, ...] = ("volumes", "iops", "throughput", "snapshots", "transfer")
    return [
        Answers(
            region=region,
            types=of[region, "types"],
            sold=frozenset(row["name"] for row in of[region, "offerings"]),
            prices=[aws_prices.Price(**row) for row in of[region, "instances"]],
            spot=[aws_prices.SpotPrice(**row) for row in of[region, "spot"]],
            volumes=[aws_prices.Price(**row) for source in listed for row in of[region, source]],
        )
        for region in refresh.regions
    ]


def demand_newest(connection: Connection, job: Job) -> None:
    """Check that a refresh can be resumed.

    Raises
    ------
    Conflict
        A newer refresh was started, which deleted the pages of this refresh.
    """
    store.one_at_a_time(connection)
    newest = store.newest(connection)
    if newest is not None and newest.job_id != job.id:
        raise Conflict("A newer refresh was started, and what this one had read was given up: start a new one.")
