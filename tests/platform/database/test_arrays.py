"""NumPy arrays as parameters, and back."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from stowage.platform.database.arrays import accept_arrays, moments, table_of
from stowage.platform.database.database import Database


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.floats(), st.floats(), st.floats())))
def test_floats_arrive_and_return_to_the_last_bit(database: Database, rows: list[tuple[float, ...]]) -> None:
    table = np.array(rows, np.float64).reshape(-1, 3)
    with database.transaction(None) as connection:
        accept_arrays(connection)
        sent, count = connection.execute(
            text(
                "SELECT coalesce(string_agg(array_send(given[3 * row - 2:3 * row]), ''::bytea ORDER BY row), ''), "
                "cardinality(given) FROM (SELECT CAST(:given AS float8[]) AS given) AS one "
                "LEFT JOIN generate_series(1, :rows) AS row ON true GROUP BY given"
            ),
            {"given": table.ravel(), "rows": len(rows)},
        ).one()
    assert count == table.size
    found = table_of(sent, 3) if rows else table
    # NaN has many bit patterns, and PostgreSQL keeps them.
    assert found.tobytes() == table.tobytes()


def test_whole_numbers_and_times_arrive_as_what_they_are(database: Database) -> None:
    numbers = np.array([0, -1, 2**62], np.int64)
    times = np.array(["1970-01-01", "2026-11-29T12:34:56.123456", "1900-02-28"], "datetime64[us]")
    with database.transaction(None) as connection:
        accept_arrays(connection)
        found = connection.execute(
            text(
                "SELECT CAST(:numbers AS bigint[]), CAST(:times AS timestamptz[]), "
                "array_send(CAST(:times AS timestamptz[]))"
            ),
            {"numbers": numbers, "times": times},
        ).one()
    assert found[0] == numbers.tolist()
    assert found[1] == [each.replace(tzinfo=UTC) for each in times.tolist()]
    assert found[1][1] == datetime(2026, 11, 29, 12, 34, 56, 123456, UTC)
    assert moments(found[2]).tolist() == times.tolist()


def test_missing_values_are_nan_in_a_parameter_and_null_in_the_table(database: Database) -> None:
    with database.transaction(None) as connection:
        accept_arrays(connection)
        query = text("SELECT array_replace(CAST(:given AS float8[]), 'NaN', NULL)")
        found = connection.scalar(query, {"given": np.array([1.5, math.nan, math.inf])})
    assert found == [1.5, None, pytest.approx(math.inf)]
