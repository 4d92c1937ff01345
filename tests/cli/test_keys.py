"""The encryption key of a single machine: creation, permissions, rotation, and the findings of `stowage doctor`."""

import stat
from pathlib import Path

import pytest

from stowage.cli.keys import FILE, keyring_of, with_local_key
from stowage.cli.server.findings import secrets
from stowage.platform.database.keyring import new_key
from stowage.processes.errors import StateUnusable
from stowage.settings import Settings


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STOWAGE_SECRETS_KEY", "DATABASE_URL", "GATE_DATABASE_URL", "MIGRATIONS_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


def settings(home: Path, monkeypatch: pytest.MonkeyPatch, **given: str) -> Settings:
    for name, value in {"STOWAGE_HOME": str(home), **given}.items():
        monkeypatch.setenv(name, value)
    return Settings()


def states(given: Settings) -> list[tuple[str, str]]:
    return [(finding.item, finding.state) for finding in secrets(given)]


def test_a_machine_creates_a_key_once_and_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings(tmp_path, monkeypatch)
    assert keyring_of(before) is None
    first = with_local_key(before, tmp_path)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    ring = keyring_of(first)
    assert ring is not None
    again = keyring_of(with_local_key(before, tmp_path))
    assert again is not None
    assert again.open(ring.seal(b"secret")) == b"secret"
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_key_on_a_line_before_the_old_one_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = keyring_of(with_local_key(settings(tmp_path, monkeypatch), tmp_path))
    assert old is not None
    (tmp_path / FILE).write_text(f"{new_key()}\n{(tmp_path / FILE).read_text()}")
    both = keyring_of(with_local_key(settings(tmp_path, monkeypatch), tmp_path))
    assert both is not None
    assert both.open(old.seal(b"secret")) == b"secret"
    assert not both.is_current(old.seal(b"secret"))


def test_a_key_from_the_environment_takes_precedence_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = settings(tmp_path, monkeypatch, STOWAGE_SECRETS_KEY=new_key())
    assert with_local_key(given, tmp_path) is given
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_a_valid_key_is_refused_and_left_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE).write_text("half a k")
    with pytest.raises(StateUnusable, match=FILE) as refusal:
        with_local_key(settings(tmp_path, monkeypatch), tmp_path)
    assert "half a k" not in str(refusal.value)
    assert (tmp_path / FILE).read_text() == "half a k"


def test_doctor_reports_a_server_without_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = settings(tmp_path, monkeypatch)
    assert states(alone) == [("secrets at rest", "ok")]
    with_local_key(alone, tmp_path)
    assert states(alone) == [("secrets at rest", "ok")]
    (tmp_path / FILE).chmod(0o644)
    assert states(alone) == [("secrets at rest", "problem")]
    (tmp_path / FILE).unlink()
    server = settings(tmp_path, monkeypatch, DATABASE_URL="postgresql://stowage_app@localhost/stowage")
    assert states(server) == [("STOWAGE_SECRETS_KEY", "problem")]
    keyed = settings(tmp_path, monkeypatch, STOWAGE_SECRETS_KEY=new_key())
    assert states(keyed) == [("secrets at rest", "ok")]
