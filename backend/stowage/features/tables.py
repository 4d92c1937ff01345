"""All tables of the database, from every feature, and the list of tables that all teams share.

The migrations (`migrations/versions`) create the tables and their access policies; a test compares them with these
definitions. A table either has a column `org_id` with a forced row-level-security policy, or is in `SHARED_TABLES`.
"""

from stowage.features.activity import tables as _activity
from stowage.features.alerts import tables as _alerts
from stowage.features.benchmarks import tables as _benchmarks
from stowage.features.calibration import tables as _calibration
from stowage.features.catalog import tables as _catalog
from stowage.features.explore import tables as _explore
from stowage.features.measurements import tables as _measurements
from stowage.features.monitoring import tables as _monitoring
from stowage.features.planning import tables as _planning
from stowage.features.planning.watches import tables as _plan_watches
from stowage.features.reports import tables as _reports
from stowage.features.sweeps import tables as _sweeps
from stowage.features.teams.sign_in import tables as _sign_in
from stowage.platform.database import tables as _platform
from stowage.platform.database.columns import metadata as metadata  # noqa: PLC0414 - with all tables in it

FEATURES = (
    *(_activity, _alerts, _plan_watches, _benchmarks, _calibration, _catalog, _explore, _measurements, _monitoring),
    *(_planning, _reports, _sign_in, _sweeps, _platform),
)
"""Modules with tables; each adds its own to `metadata` when it is imported."""

PEOPLE_TABLES = frozenset(
    {
        *("person", "password", "second_factor", "passkey", "recovery_code", "identity", "session", "one_time_link"),
        "throttle",
    }
)
"""Who signs in, and how: the gate's. Of people the application sees those of the team that it works for."""

SHARED_TABLES = _catalog.CATALOG_TABLES | PEOPLE_TABLES | {"alembic_version"}
"""Tables without `org_id`: every organisation reads the catalog's, none the people's."""
