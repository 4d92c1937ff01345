"""Sweeps for tests: of 6, of 40 and of 120 cells."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from stowage.features.sweeps import sweeps
from stowage.features.sweeps.schemas import SweepAnswer
from stowage.features.sweeps.sweep_file import SweepFile
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue

_PAPER = {"catalog": "paper-2014"}

SMALL = SweepFile.model_validate(
    {
        "base": {
            "workload": {"data": "1 TB"},
            "place": _PAPER,
            "assume": {"usual": "ignored"},
            "limits": {"max_nodes": 200},
        },
        "columns": {"quantity": "data", "values": ["1 TB", "100 TB", "1 PB"]},
        "rows": {"quantity": "deadline", "values": ["10 min", "2 h"]},
    }
)


def _grid_of(rows: int) -> SweepFile:
    return SweepFile.model_validate(
        {
            "base": {
                "workload": {"data": "1 TB"},
                "place": _PAPER,
                "limits": {"max_nodes": 400},
                "assume": {"network": "unlimited"},
            },
            "columns": {"quantity": "data", "values": [f"{size} TB" for size in range(1, 11)]},
            "rows": {"quantity": "deadline", "values": [f"{minutes} min" for minutes in range(10, 10 + rows)]},
        }
    )


MEDIUM, LARGE = _grid_of(4), _grid_of(12)


def start_sweep(database: Database, org_id: UUID, queue: Queue, file: SweepFile) -> SweepAnswer:
    return sweeps.start_sweep(
        database, org_id, queue, file, ids=sweeps.NewIds(uuid4(), uuid4()), asked_by="test", now=datetime.now(UTC)
    )
