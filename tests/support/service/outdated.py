"""Stored plans of earlier versions, whose workload does not conform to the schema of today."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import text

from stowage.platform.database.database import Database


def replace_workload(database: Database, org_id: UUID, plan: Mapping[str, Any], workload: Mapping[str, Any]) -> None:
    """Replace the workload of a plan, in its own column and in its answer."""
    query = text(
        "UPDATE plan SET workload = CAST(:file AS json), "
        "answer = jsonb_set(answer::jsonb, '{workload}', CAST(:file AS jsonb))::json WHERE id = :plan"
    )
    with database.transaction(org_id) as connection:
        connection.execute(query, {"file": json.dumps(workload), "plan": plan["id"]})
