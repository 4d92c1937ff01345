"""A laboratory for each test, empty."""

from collections.abc import Iterator

import pytest

from laboratory.customer import Customer, customer
from laboratory.faults import HEAD, TOLD
from laboratory.lab import Laboratory, laboratory


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what became of benchmark runs that met faults, as one table."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.getreports(outcome)]
    lines = sorted(str(value) for each in reports for name, value in each.user_properties if name == TOLD)
    if lines:
        terminalreporter.section("runs and faults")
        for line in (HEAD, *lines):
            terminalreporter.write_line(line)


@pytest.fixture
def lab() -> Iterator[Laboratory]:
    with laboratory() as opened:
        yield opened


@pytest.fixture
def connected(lab: Laboratory) -> Iterator[Customer]:
    with customer(lab.between.address) as clients:
        yield clients
