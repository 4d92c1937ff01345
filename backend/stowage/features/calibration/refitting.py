"""Refits of calibrations that were fitted with an earlier version of the model.

A refit uses the current finished jobs of the framework. It thus includes jobs added since the calibration, and
excludes jobs withdrawn since then.
"""

from datetime import date
from uuid import UUID

from stowage.features.calibration.calibrations import fit_framework
from stowage.features.calibration.store import finished_jobs as store
from stowage.measure.fits.calibration import Calibration
from stowage.measure.judging.run_physics import PHYSICS
from stowage.platform.database.database import Database
from stowage.platform.database.errors import Unreachable
from stowage.platform.errors import BadInput
from stowage.platform.jobs.queue import REFIT, REFITS_LOOKED_FOR_EVERY_S, Queue

REFITTED_BY = "Stowage, as the physics changed"
"""Name stored as the user who requested a refit."""
_MOST_AT_ONCE = 20


def send_outdated(gate: Database, queue: Queue) -> None:
    """Queue refits of calibrations that were fitted with an earlier model version, up to `_MOST_AT_ONCE` per call."""
    with gate.transaction(None) as connection:
        outdated = store.outdated_calibrations(connection, PHYSICS, _MOST_AT_ONCE)
    messages = [(str(org_id), framework) for org_id, framework in outdated]
    queue.send_each(REFIT, messages, expires_s=REFITS_LOOKED_FOR_EVERY_S, queue="sweeps")


def refit(database: Database, org_id: UUID, framework: str, *, today: date) -> None:
    """Refit a framework's calibration if it was fitted with an earlier model version.

    If the refit fails, the reason is stored. If a user fits the framework meanwhile, the user's calibration stays the
    current one.
    """
    with database.transaction(org_id) as connection:
        found = store.calibrations_of(connection, framework)
    if not found or found[0].not_refitted is not None:
        return
    newest = found[0]
    if not Calibration.from_dict(newest.content["calibration"]).outdated:
        return
    try:
        fit_framework(database, org_id, framework, person=REFITTED_BY, today=today, replacing=newest.id)
    except BadInput as error:
        _give_up(database, org_id, newest.id, "; ".join(each.message for each in error.problems))
    except Unreachable:
        raise
    except Exception:
        # Without this, endless retries would keep other calibrations waiting.
        _give_up(database, org_id, newest.id, "it failed with an error of Stowage's, which was logged")
        raise


def _give_up(database: Database, org_id: UUID, calibration_id: UUID, reason: str) -> None:
    with database.transaction(org_id) as connection:
        store.set_not_refitted(connection, calibration_id, reason)
