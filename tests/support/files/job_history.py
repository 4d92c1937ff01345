"""Job histories of MapReduce with the events that the reader uses, as JSON and as binary."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from avro_documents import written

NAMESPACE = "org.apache.hadoop.mapreduce.jobhistory"
BEGAN_MS = 1_764_000_000_000
RECORDS: dict[str, dict[str, Any]] = {
    "JobSubmitted": {"jobName": "string", "submitTime": "long"},
    "JobInited": {"launchTime": "long"},
    "TaskAttemptStarted": {"attemptId": "string", "startTime": "long"},
    "MapAttemptFinished": {"attemptId": "string", "finishTime": "long", "hostname": "string"},
    "ReduceAttemptFinished": {
        "attemptId": "string", "shuffleFinishTime": "long", "finishTime": "long", "hostname": "string",
    },
    "JobUnsuccessfulCompletion": {"finishTime": "long", "jobStatus": "string"},
    "JobFinished": {"finishTime": "long", "mapCounters": "JhCounters", "totalCounters": "JhCounters"},
}  # fmt: skip
KINDS = {
    "JOB_SUBMITTED": "JobSubmitted", "JOB_INITED": "JobInited", "MAP_ATTEMPT_STARTED": "TaskAttemptStarted",
    "MAP_ATTEMPT_FINISHED": "MapAttemptFinished", "REDUCE_ATTEMPT_STARTED": "TaskAttemptStarted",
    "REDUCE_ATTEMPT_FINISHED": "ReduceAttemptFinished", "JOB_FINISHED": "JobFinished",
    "JOB_FAILED": "JobUnsuccessfulCompletion",
}  # fmt: skip
COUNTERS = {
    "type": "record", "name": "JhCounters",
    "fields": [{"name": "groups", "type": {"type": "array", "items": {
        "type": "record", "name": "JhCounterGroup",
        "fields": [{"name": "name", "type": "string"}, {"name": "counts", "type": {"type": "array", "items": {
            "type": "record", "name": "JhCounter",
            "fields": [{"name": "name", "type": "string"}, {"name": "value", "type": "long"}],
        }}}],
    }}}],
}  # fmt: skip


def schema() -> dict[str, Any]:
    """Return the schema of the events, as Hadoop writes it but without unused fields."""
    named: set[str] = set()

    def of(kind: str) -> Any:
        if kind != "JhCounters" or kind in named:
            return kind
        named.add(kind)
        return COUNTERS

    records = [
        {"type": "record", "name": name, "fields": [{"name": each, "type": of(kind)} for each, kind in fields.items()]}
        for name, fields in RECORDS.items()
    ]
    return {
        "type": "record", "name": "Event", "namespace": NAMESPACE,
        "fields": [
            {"name": "type", "type": {"type": "enum", "name": "EventType", "symbols": list(KINDS)}},
            {"name": "event", "type": records},
        ],
    }  # fmt: skip


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """Return an event in Hadoop's JSON."""
    return {"type": kind, "event": {f"{NAMESPACE}.{KINDS[kind]}": fields}}


def as_json(events: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a history as JSON."""
    lines = [json.dumps(each, separators=(",", ":")) + "\n" for each in events]
    return "\n".join(["Avro-Json", json.dumps(schema(), separators=(",", ":")), *lines]).encode()


def as_binary(events: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a history in the binary form."""
    documents = [written(schema(), each) for each in events]
    return b"Avro-Binary\n" + json.dumps(schema()).encode() + b"\n" + b"".join(documents)


def counters(**values: int) -> dict[str, Any]:
    """Return counters of file systems and of the framework, beside those of a program."""
    ours = {name: value for name, value in values.items() if "_BYTES_" in name and name.count("_") == 2}
    rest = {name: value for name, value in values.items() if name not in ours}
    groups = (("FileSystemCounter", ours), ("TaskCounter", rest), ("lib.CustomCounter", {"HDFS_BYTES_READ": 10**15}))
    return {
        "groups": [
            {
                "name": f"org.apache.hadoop.mapreduce.{name}",
                "counts": [{"name": one, "value": value} for one, value in found.items()],
            }
            for name, found in groups
        ]
    }


def at(seconds: float) -> int:
    """Return a time since the launch in Hadoop's format [ms since 1970]."""
    return BEGAN_MS + round(1000 * seconds)


def history(
    maps: Sequence[tuple[float, float]] = ((5.0, 25.0), (6.0, 30.0)),
    reduces: Sequence[tuple[float, float, float]] = ((20.0, 33.0, 50.0), (21.0, 35.0, 52.0)),
    *,
    scheme: str = "HDFS",
    read_bytes: int = 200_000_000,
    materialized: int = 220_000_000,
    written_bytes: int = 100_000_000,
) -> list[dict[str, Any]]:
    """Return the events of a job: maps as (start, end), reduces as (start, end of the shuffle, end) [s]."""
    events = [event("JOB_SUBMITTED", jobName="sort", submitTime=at(-60.0)), event("JOB_INITED", launchTime=at(0.0))]
    for number, (began_s, ended_s) in enumerate(maps):
        host = f"ip-10-0-0-{number % 3}.eu-west-1.compute.internal"
        events.append(event("MAP_ATTEMPT_STARTED", attemptId=f"m{number}", startTime=at(began_s)))
        events.append(event("MAP_ATTEMPT_FINISHED", attemptId=f"m{number}", finishTime=at(ended_s), hostname=host))
    for number, (began_s, shuffled_s, ended_s) in enumerate(reduces):
        host = f"ip-10-0-0-{number % 3}.eu-west-1.compute.internal"
        events.append(event("REDUCE_ATTEMPT_STARTED", attemptId=f"r{number}", startTime=at(began_s)))
        events.append(
            event(
                "REDUCE_ATTEMPT_FINISHED",
                attemptId=f"r{number}",
                shuffleFinishTime=at(shuffled_s),
                finishTime=at(ended_s),
                hostname=host,
            )
        )
    moved = {f"{scheme}_BYTES_READ": read_bytes, "FILE_BYTES_READ": 999_000_000}
    of_maps = counters(**moved, MAP_OUTPUT_MATERIALIZED_BYTES=materialized)
    total = counters(
        **{**moved, f"{scheme}_BYTES_WRITTEN": written_bytes, "FILE_BYTES_WRITTEN": 999_000_000},
        MAP_OUTPUT_MATERIALIZED_BYTES=materialized,
        CPU_MILLISECONDS=21_000,
    )
    events.append(event("JOB_FINISHED", finishTime=at(55.0), mapCounters=of_maps, totalCounters=total))
    return events
