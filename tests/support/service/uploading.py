"""Uploaded files: sent piece by piece like a browser, and read without a worker."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient
from httpx2 import Response

from stowage.features.measurements import upload_reading
from stowage.features.measurements.store.uploads import PIECE_BYTES
from stowage.model.job import JobKind
from stowage.platform.database.database import Database
from stowage.platform.jobs import jobs
from stowage.platform.jobs.fair_queue import Part
from stowage.platform.jobs.queue import Queue

FIO = (Path(__file__).parents[2] / "uploads" / "fio-3.33.json").read_bytes()
"""One run, see ORIGIN.md beside it."""
DISK = {"instance": "i3.8xlarge", "region": "us-east-1", "storage": {"kind": "instance-store", "disks": 4}}
VOLUME = {"kind": "ebs", "type": "gp3", "size_gib": 500.0, "iops": 3000.0, "throughput_mib_per_s": 125.0, "count": 1}
WORKS: Mapping[JobKind, jobs.Work] = {"upload": upload_reading.read_part}


def fio(name: str = "randread", at: int = 1_795_236_974, iops: float | None = None) -> bytes:
    """Return fio's file of another run: another name, another time, another result."""
    document = json.loads(FIO)
    document["timestamp"], document["timestamp_ms"] = at, at * 1000
    document["jobs"][0]["jobname"] = name
    if iops is not None:
        read = document["jobs"][0]["read"]
        read["iops"], read["bw_bytes"], read["bw"] = iops, int(iops * 4096), int(iops * 4)
    return json.dumps(document, indent=2).encode()


def send(client: TestClient, content: bytes, name: str = "fio.json") -> dict[str, Any]:
    """Send a file, and return the upload."""
    begun = client.post("/api/v1/uploads", json={"name": name, "size_bytes": len(content)})
    assert begun.status_code == 201, begun.text
    upload: dict[str, Any] = begun.json()
    for number in range(-(-len(content) // PIECE_BYTES)):
        answer = send_piece(client, upload["id"], number, content[number * PIECE_BYTES : (number + 1) * PIECE_BYTES])
        assert answer.status_code == 200, answer.text
    return upload


def send_piece(client: TestClient, upload_id: str, number: int, piece: bytes) -> Response:
    """Send one piece."""
    headers = {"Content-Type": "application/octet-stream"}
    return client.put(f"/api/v1/uploads/{upload_id}/pieces/{number}", content=piece, headers=headers)


class Reader:
    """Reads uploads, as a worker would.

    Parameters
    ----------
    client : TestClient
    database : Database
    queue : Queue
    org_id : UUID
    """

    def __init__(self, client: TestClient, database: Database, queue: Queue, org_id: UUID) -> None:
        self.client = client
        self._database = database
        self._queue = queue
        self._org_id = org_id

    def work(self, job_id: str) -> None:
        """Process the upload as a worker does."""
        part = Part(self._org_id, UUID(job_id), "upload", 0)
        jobs.work_on_part(self._database, self._queue, part, WORKS, time.monotonic)

    def upload(self, content: bytes, name: str = "fio.json") -> dict[str, Any]:
        """Send a file and read it; return the resulting upload."""
        upload_id = send(self.client, content, name)["id"]
        started = self.client.post(f"/api/v1/uploads/{upload_id}/read")
        assert started.status_code == 200, started.text
        self.work(started.json()["job"]["id"])
        return self.look(upload_id)

    def look(self, upload_id: str) -> dict[str, Any]:
        """Return an upload."""
        answer = self.client.get(f"/api/v1/uploads/{upload_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def keep(self, upload: Mapping[str, Any], target: Mapping[str, Any] = DISK, **more: Any) -> Response:
        """Save all results of an upload, with one target."""
        readings = [{"position": each["position"], "target": target} for each in upload["readings"]]
        return self.client.post(f"/api/v1/uploads/{upload['id']}/keep", json={"readings": readings, **more})

    def kept(self, content: bytes, target: Mapping[str, Any] = DISK, name: str = "fio.json") -> Sequence[str]:
        """Send, read and save a file; return the measurements."""
        answer = self.keep(self.upload(content, name), target)
        assert answer.status_code == 200, answer.text
        measurements: list[str] = answer.json()["measurements"]
        return measurements
