"""A laboratory for each test, empty."""

from collections.abc import Iterator

import pytest

from laboratory.customer import Customer, customer
from laboratory.lab import Laboratory, laboratory


@pytest.fixture
def lab() -> Iterator[Laboratory]:
    with laboratory() as opened:
        yield opened


@pytest.fixture
def connected(lab: Laboratory) -> Iterator[Customer]:
    with customer(lab.between.address) as clients:
        yield clients
