"""Laboratories and services: for one test, or for all tests of a module."""

from collections.abc import Iterator

import pytest

from laboratory.customer import Customer, customer
from laboratory.faults import HEAD, TOLD
from laboratory.lab import Laboratory, laboratory
from laboratory.product import Product, product


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the outcomes of benchmark runs with faults as one table."""
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


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Laboratory]:
    """Return a laboratory for all tests of a module."""
    with laboratory(mbit_per_s=80.0) as opened:
        yield opened


@pytest.fixture(scope="module")
def struck(own_lab: Laboratory) -> Iterator[Product]:
    """Return a service for all faults of a module: its start takes longer than a fault."""
    with product(own_lab) as started:
        yield started


@pytest.fixture
def connected(lab: Laboratory) -> Iterator[Customer]:
    with customer(lab.between.address) as clients:
        yield clients
