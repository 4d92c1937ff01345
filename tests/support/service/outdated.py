"""Stored plans of earlier versions: answers as objects, and workloads that do not conform to the schema of today."""

import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from stowage.platform.database.database import Database
from stowage.workloads.stored_answers import FIRST_COLUMNS, OBJECTS, answer_of, packed


def as_objects(answer: Mapping[str, Any]) -> bytes:
    """Return an answer as it was stored until 2026-11-29."""
    return bytes([OBJECTS]) + json.dumps(answer).encode()


def as_first_columns(columns: bytes) -> bytes:
    """Return the JSON of a `PlanColumns` as it was stored first: with rejections as objects."""
    rejected = answer_of(packed(columns)).model_dump(mode="json")["rejected"]
    return bytes([FIRST_COLUMNS]) + gzip.compress(json.dumps({**json.loads(columns), "rejected": rejected}).encode())


def change_answers(connection: Connection, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the documents of all answers of the team's plans, and store them as objects."""
    for row in connection.execute(text("SELECT id, answer FROM plan")).all():
        document = answer_of(row.answer).model_dump(mode="json")
        change(document)
        changed = {"id": row.id, "answer": as_objects(document)}
        connection.execute(text("UPDATE plan SET answer = :answer WHERE id = :id"), changed)


def replace_workload(database: Database, org_id: UUID, plan: Mapping[str, Any], workload: Mapping[str, Any]) -> None:
    """Replace the workload of a plan, in its own column and in its answer."""
    answer = {**plan["answer"], "workload": workload}
    query = text("UPDATE plan SET workload = CAST(:file AS json), answer = :answer WHERE id = :plan")
    with database.transaction(org_id) as connection:
        connection.execute(query, {"file": json.dumps(workload), "answer": as_objects(answer), "plan": plan["id"]})
