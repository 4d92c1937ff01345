"""The example team from a terminal without a running service.

With a service it is part of `test_up.py`; what is loaded is checked in `tests/features/test_example.py`.
"""

from pathlib import Path

import pytest

from process import stowage


@pytest.mark.soak("tools")
def test_it_is_loaded_and_computed_where_nothing_runs(home: Path) -> None:
    for action in ("load", "reset"):
        done = stowage("demo", action, settings={"STOWAGE_HOME": str(home)})
        assert (done.returncode, done.stderr) == (0, "")
        assert "computed its sweeps" in done.stdout


def test_one_server_alone_is_not_enough(home: Path) -> None:
    given = {"STOWAGE_HOME": str(home), "DATABASE_URL": "postgresql://app@/stowage"}
    refused = stowage("demo", "load", settings=given)
    assert refused.returncode == 2
    assert "REDIS_URL is not set" in refused.stderr
    assert not home.exists()


def test_an_action_that_there_is_not() -> None:
    refused = stowage("demo", "drop", settings={})
    assert refused.returncode == 2
    assert "'load', 'remove', 'reset'" in refused.stderr
