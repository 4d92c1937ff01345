"""Database addresses in users' formats."""

import pytest

from stowage.platform.database.errors import BadUrl
from stowage.platform.database.urls import postgres_url, role_of


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_every_way_to_write_postgresql_means_our_driver(scheme: str) -> None:
    url = postgres_url(f"{scheme}://app:secret@db:5432/stowage")
    assert url.drivername == "postgresql+psycopg"
    assert (url.username, url.password, url.database) == ("app", "secret", "stowage")


@pytest.mark.parametrize("written", ["", "?", "mysql://app:secret@db/stowage", "app:secret@db"])
def test_other_addresses_are_refused_without_repeating_their_password(written: str) -> None:
    with pytest.raises(BadUrl) as refused:
        postgres_url(written)
    assert "secret" not in str(refused.value)
    assert "postgresql://" in str(refused.value)


def test_the_role_must_be_named() -> None:
    assert role_of("postgresql://app@db/stowage") == "app"
    with pytest.raises(BadUrl, match="names no role"):
        role_of("postgresql://db/stowage")
