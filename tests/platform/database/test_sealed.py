"""Encryption at rest of secrets that the service must read again, and rotation of the key."""

from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from database import KEYRING, SECRETS_KEY, new_org, opened, superuser
from people import new_person
from quoted import KEY, connected, quoted
from shared_postgres import new_database
from stowage.features.alerts import store as alerts
from stowage.features.alerts.store import StoredAddress
from stowage.features.benchmarks.store import runs
from stowage.features.tables import metadata
from stowage.features.teams.sign_in.store import people, refresh_tokens, second_factors
from stowage.platform.database.database import Database
from stowage.platform.database.embedded import APPLICATION_ROLE, GATE_ROLE, DatabaseUrls
from stowage.platform.database.errors import NoKey, WrongKey
from stowage.platform.database.keyring import Keyring, new_key
from stowage.platform.database.migration import migrate, unmigrate
from stowage.platform.database.sealed import reseal, sealed_columns
from stowage.settings import Settings, keys_in

SIGNING = b"the secret of a webhook"


@pytest.fixture
def own() -> DatabaseUrls:
    """Return a database for the secrets of these tests only."""
    return new_database()


@pytest.fixture
def application(own: DatabaseUrls) -> Iterator[Database]:
    with opened(own.application) as database:
        yield database


@pytest.fixture
def owned(own: DatabaseUrls) -> Iterator[Database]:
    with opened(own.owner) as database:
        yield database


def stored(urls: DatabaseUrls) -> dict[str, bytes]:
    """Return the raw values of the tables, as in a backup."""
    with superuser(urls) as connection:
        found = connection.execute(
            "SELECT 'run', key FROM run UNION ALL SELECT 'webhook', secret FROM alert_address WHERE secret IS NOT NULL"
        )
        return {name: bytes(value) for name, value in found}


def store_secrets(database: Database, org_id: UUID) -> tuple[UUID, UUID]:
    """Store a run and a webhook, and return their ids."""
    run_id = quoted(database, org_id, connected(database, org_id))
    new = StoredAddress(uuid4(), "webhook", "https://hooks.example.org/1", "Ada", datetime.now(UTC))
    with database.transaction(org_id) as connection:
        assert alerts.add_address(connection, new, SIGNING)
    return run_id, new.id


def read(database: Database, org_id: UUID, ids: tuple[UUID, UUID]) -> tuple[bytes, bytes | None]:
    with database.transaction(org_id) as connection:
        return runs.key_of(connection, ids[0]), alerts.secret_of(connection, ids[1])


@pytest.fixture
def own_org(owned: Database) -> UUID:
    return new_org(owned)


def test_secrets_are_not_readable_in_the_database(own: DatabaseUrls, application: Database, own_org: UUID) -> None:
    ids = store_secrets(application, own_org)
    lying = stored(own)
    assert set(lying) == {"run", "webhook"}
    assert not any(plain in value for plain in (KEY, SIGNING) for value in lying.values())
    assert {name: KEYRING.open(value) for name, value in lying.items()} == {"run": KEY, "webhook": SIGNING}
    assert read(application, own_org, ids) == (KEY, SIGNING)


def test_the_encrypted_columns_are_those_that_the_service_reads_again() -> None:
    assert {(table.name, column.name) for table, column in sealed_columns(metadata)} == {
        ("run", "key"),
        ("alert_address", "secret"),
        ("inbox_channel", "secret"),
        ("second_factor", "secret"),
        ("identity", "refresh_token"),
    }


def test_without_a_key_secrets_are_refused_and_everything_else_works(
    own: DatabaseUrls, application: Database, own_org: UUID
) -> None:
    ids = store_secrets(application, own_org)
    keyless = Database(own.application)
    try:
        with pytest.raises(NoKey, match="STOWAGE_SECRETS_KEY"):
            read(keyless, own_org, ids)
        with pytest.raises(Exception, match="STOWAGE_SECRETS_KEY"):
            store_secrets(keyless, own_org)
        with keyless.transaction(own_org) as connection:
            assert [each.id for each in alerts.addresses(connection)] == [ids[1]]
            assert runs.get(connection, ids[0]) is not None
    finally:
        keyless.close()


def test_a_key_is_rotated_while_both_keys_are_given(own: DatabaseUrls, application: Database, own_org: UUID) -> None:
    ids = store_secrets(application, own_org)
    new = new_key()
    both, only_new = Keyring([new, SECRETS_KEY]), Keyring([new])
    turning, turned, owner = (
        Database(own.application, keyring=both),
        Database(own.application, keyring=only_new),
        Database(own.owner, keyring=both),
    )
    try:
        assert read(turning, own_org, ids) == (KEY, SIGNING)
        with pytest.raises(WrongKey, match="not given"):
            read(turned, own_org, ids)
        assert reseal(owner, both, metadata) == (2, 0)
        assert reseal(owner, both, metadata) == (0, 0)
        assert read(turned, own_org, ids) == read(turning, own_org, ids) == (KEY, SIGNING)
        with pytest.raises(WrongKey):
            read(application, own_org, ids)
    finally:
        for each in (turning, turned, owner):
            each.close()


def test_key_rotation_covers_second_factors_which_belong_to_no_team(own: DatabaseUrls) -> None:
    new = new_key()
    both = Keyring([new, SECRETS_KEY])
    with opened(own.gate) as gate:
        person_id = new_person(gate)
        with gate.transaction(None) as connection:
            assert second_factors.begin(connection, person_id, "JBSWY3DPEHPK3PXP")
    owner, turned = Database(own.owner, keyring=both), Database(own.gate, keyring=Keyring([new]))
    try:
        with pytest.raises(WrongKey), turned.transaction(None) as connection:
            second_factors.get(connection, person_id)
        assert reseal(owner, both, metadata) == (1, 0)
        assert reseal(owner, both, metadata) == (0, 0)
        with turned.transaction(None) as connection:
            found = second_factors.get(connection, person_id)
        assert found is not None
        assert found.secret == b"JBSWY3DPEHPK3PXP"
    finally:
        owner.close()
        turned.close()


def test_key_rotation_covers_refresh_tokens(own: DatabaseUrls) -> None:
    both = Keyring([new := new_key(), SECRETS_KEY])
    token = refresh_tokens.StoredToken("https://provider.example", "ada", "of the provider")
    with opened(own.gate) as gate:
        person_id = new_person(gate)
        with gate.transaction(None) as connection:
            assert people.identify(connection, person_id, token.issuer, token.subject)
            refresh_tokens.store(connection, person_id, token, datetime.now(UTC))
    owner, turned = Database(own.owner, keyring=both), Database(own.gate, keyring=Keyring([new]))
    try:
        assert reseal(owner, both, metadata) == (1, 0)
        with turned.transaction(None) as connection:
            assert refresh_tokens.of_person(connection, person_id) == [token]
    finally:
        owner.close()
        turned.close()


def test_secrets_of_a_lost_key_are_counted_and_left_unchanged(
    own: DatabaseUrls, application: Database, own_org: UUID
) -> None:
    store_secrets(application, own_org)
    before = stored(own)
    stranger = Keyring([new_key()])
    owner = Database(own.owner, keyring=stranger)
    try:
        assert reseal(owner, stranger, metadata) == (0, 2)
    finally:
        owner.close()
    assert stored(own) == before


def test_the_migration_encrypts_stored_secrets_and_fails_without_a_key(
    own: DatabaseUrls, application: Database, own_org: UUID
) -> None:
    ids = store_secrets(application, own_org)
    unmigrate(own.owner, APPLICATION_ROLE, GATE_ROLE, "0012", KEYRING)
    assert stored(own) == {"run": KEY, "webhook": SIGNING}
    with pytest.raises(NoKey, match="STOWAGE_SECRETS_KEY"):
        migrate(own.owner, APPLICATION_ROLE, GATE_ROLE)
    assert stored(own) == {"run": KEY, "webhook": SIGNING}
    migrate(own.owner, APPLICATION_ROLE, GATE_ROLE, KEYRING)
    assert read(application, own_org, ids) == (KEY, SIGNING)
    assert not {KEY, SIGNING} & set(stored(own).values())


def test_the_application_role_cannot_replace_secrets(application: Database, own_org: UUID) -> None:
    store_secrets(application, own_org)
    for statement in (
        "UPDATE run SET key = key",
        "UPDATE alert_address SET secret = secret",
        "UPDATE inbox_channel SET secret = secret",
    ):
        with pytest.raises(Exception, match="permission denied"), application.transaction(own_org) as connection:
            connection.execute(text(statement))


def test_an_invalid_key_is_refused_by_its_position_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    good = new_key()
    assert keys_in(f"{good}, {SECRETS_KEY}\n") == (good, SECRETS_KEY)
    with pytest.raises(ValueError, match="key 2 of 2 is not accepted") as refusal:
        keys_in(f"{good}\nnot-a-key-at-all")
    assert "not-a-key" not in str(refusal.value)
    monkeypatch.setenv("STOWAGE_SECRETS_KEY", f"{good},{SECRETS_KEY}")
    assert Settings().secrets_keys == (good, SECRETS_KEY)
    assert good not in repr(Settings())
