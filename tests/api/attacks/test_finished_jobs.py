"""Hostile files of finished jobs: each field is stored or reported as refused, and every stored job can be read.

A file has at most 10,000 jobs, and at most 1 MiB.
"""

import pytest
from fastapi.testclient import TestClient

JOBS = "/api/v1/finished-jobs"
FIELDS = {
    "name": "nightly",
    "job": "sort",
    "framework": "ours",
    "instance": "i3.xlarge",
    "nodes": "4",
    "data": "1 TB",
    "input_output": "instance-store",
    "measured_s": "600",
}
HOSTILE = [
    ("name", "a\0b"),
    ("name", "\u202egnp.exe"),
    ("name", "\x07\x1b[31m"),
    ("name", "=HYPERLINK(0)"),
    ("name", "<script>alert(1)</script>"),
    ("name", "x" * 100_000),
    ("framework", "a\0"),
    ("framework", "../../etc/passwd"),
    ("framework", "{0.__class__}"),
    ("instance", "a\0"),
    ("instance", "'; DROP TABLE finished_job; --"),
    ("nodes", "0"),
    ("nodes", "-1"),
    ("nodes", "9" * 5_000),
    ("nodes", "10000000"),
    ("data", "9" * 300 + " TB"),
    ("data", "1e308 TB"),
    ("measured_s", "inf"),
    ("measured_s", "nan"),
    ("measured_s", "1e400"),
    ("measured_s", "1e308"),
    ("measured_s", "5e-324"),
    ("measured_s", "0"),
    ("started_at", "0001-01-01T00:00:00+14:00"),
    ("started_at", "9999-12-31T23:59:59-14:00"),
    ("started_at", "now()"),
    ("skew", "1e308"),
    ("replicas", "-1"),
    ("region", "a\0b"),
    ("phase:map", "1e999"),
    ("phase:\0", "5"),
]


def written(**fields: str) -> bytes:
    row = FIELDS | fields
    return f"{','.join(row)}\n{','.join(row.values())}\n".encode()


def keep(client: TestClient, content: bytes) -> list[str]:
    answer = client.post(JOBS, content=content, headers={"Content-Type": "text/csv"})
    assert answer.status_code in {201, 422}, answer.text
    if answer.status_code == 422:
        return []
    told = answer.json()
    assert len(told["kept"]) + len(told["problems"]) == 1, answer.text
    return [job["id"] for job in told["kept"]]


@pytest.mark.parametrize(("field", "value"), HOSTILE)
def test_a_hostile_field_is_kept_or_told_of_and_what_is_kept_is_read(
    client: TestClient, field: str, value: str
) -> None:
    kept = keep(client, written(**{field: value}))
    for job in kept:
        assert client.get(f"{JOBS}/{job}").status_code == 200
    assert [row["id"] for row in client.get(JOBS).json()["jobs"]] == kept
    exported = client.get("/api/v1/audit/export")
    assert exported.status_code == 200
    assert ',"=' not in exported.text


@pytest.mark.parametrize(
    "content",
    [
        written().decode().encode("utf-16"),
        written().replace(b"nightly", b"\xed\xa0\x80"),
        written().replace(b"nightly", b'"' + b"x" * 100_000),
    ],
    ids=["UTF-16", "half a surrogate", "a quote that never ends"],
)
def test_what_is_no_text_as_we_know_it_is_read_or_told_of(client: TestClient, content: bytes) -> None:
    for job in keep(client, content):
        assert client.get(f"{JOBS}/{job}").status_code == 200


def test_more_jobs_than_a_file_may_have_are_refused_as_a_whole(client: TestClient) -> None:
    head, row, _ = written(measured_s="{}").decode().split("\n")
    lines = "\n".join(row.format(number + 1) for number in range(10_001))
    assert client.post(JOBS, content=f"{head}\n{lines}", headers={"Content-Type": "text/csv"}).status_code == 422
    assert client.get(JOBS).json()["jobs"] == []


def test_a_job_on_as_many_nodes_as_can_be_said_keeps_no_framework_from_being_fitted(client: TestClient) -> None:
    sizes = [("4", "600"), ("8", "500"), ("16", "450"), ("32", "400"), ("10000000", "300")]
    for nodes, seconds in sizes:
        assert keep(client, written(name=f"on {nodes}", nodes=nodes, measured_s=seconds))
    fitted = client.post("/api/v1/calibrations", json={"framework": "ours"})
    assert fitted.status_code == 201, fitted.text
    assert len(fitted.json()["points"]) + len(fitted.json()["left_out"]) == len(sizes)
