"""Passwords: rules for accepting them, and how they are stored and checked."""

from threading import BoundedSemaphore

import pytest
from zxcvbn import zxcvbn

from stowage.features.teams.sign_in import passwords
from stowage.platform.errors import BadInput, TooMany

STRONG = "seventeen blue kettles hum"


@pytest.fixture
def hashed() -> str:
    return passwords.hash_password(STRONG)


def test_a_password_is_kept_as_argon2id_with_the_parameters_of_owasp(hashed: str) -> None:
    # OWASP Password Storage Cheat Sheet, "Argon2id": m=19456 (19 MiB), t=2, p=1.
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert STRONG not in hashed
    assert passwords.hash_password(STRONG) != hashed
    assert not passwords.is_outdated(hashed)


def test_a_password_fits_itself_and_nothing_else(hashed: str) -> None:
    assert passwords.verify(hashed, STRONG)
    for other in ("", STRONG.upper(), f"{STRONG} ", STRONG[:-1], "\x00"):
        assert not passwords.verify(hashed, other)


def test_one_way_to_write_a_character_is_as_good_as_another() -> None:
    composed, decomposed = "caf\u00e9 seventeen kettles", "cafe\u0301 seventeen kettles"
    assert passwords.verify(passwords.hash_password(composed), decomposed)


def test_where_there_is_no_password_one_is_checked_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dummy hash costs as much as a real one, and no password fits it; nor does any fit a text that is no hash."""
    dummy = passwords._DUMMY  # noqa: SLF001 - it determines the time of an answer
    assert not passwords.is_outdated(dummy)
    checked: list[str] = []
    monkeypatch.setattr(passwords._hasher.__class__, "verify", lambda _, given, text: checked.append(given))  # noqa: SLF001, ARG005
    # Even if the dummy's password were known.
    assert not passwords.verify(None, STRONG)
    assert checked == [dummy]
    monkeypatch.undo()
    assert not passwords.verify("no hash", STRONG)


@pytest.mark.parametrize(
    ("weak", "about"),
    [
        ("Stowage Stowage", ()),
        ("p4$$w0rd p4$$w0rd", ()),
        ("p@$$w0rd!!(1+|", ()),
        ("!@#$%^&*()_+", ()),
        ("123456789012", ()),
        ("qwertyuiop[]", ()),
        ("1qaz2wsx3edc", ()),
        ("", ()),
        ("eleven char", ()),
        ("x" * 129, ()),
        ("\ufdfa" * 10, ()),  # one character that normalizes to eighteen
        ("password1234", ()),
        ("correcthorsebatterystaple", ("correct horse battery staple",)),
        ("trustno1trustno1", ()),
        ("aaaaaaaaaaaaaaaa", ()),
        ("abcdefghijklmnop", ()),
        ("stowagestowage1", ()),
        ("Ada Lovelace 1", ("Ada Lovelace",)),
        ("ada.l@example.org", ("Ada", "ada.l@example.org")),
        ("storage planners", ("Storage Planners",)),
    ],
)
def test_what_is_easily_guessed_is_refused_and_not_repeated(weak: str, about: tuple[str, ...]) -> None:
    with pytest.raises(BadInput) as refused:
        passwords.refuse_weak(weak, about)
    [problem] = refused.value.problems
    assert problem.path == "password"
    assert not weak or weak not in problem.message


def test_what_is_not_easily_guessed_is_accepted_however_long() -> None:
    for strong in (STRONG, "zq8#Lm2!vR7p", "x9" + STRONG * 4, "Überraschung im Blumentopf 3"):
        passwords.refuse_weak(strong, ("Ada", None, "ada@example.org"))


@pytest.mark.parametrize("signs", ["4@8({[<369!1|70$5+7%2zZ" * 4, "".join(chr(33 + each) for each in range(94))])
def test_what_takes_long_to_judge_is_not_all_judged(monkeypatch: pytest.MonkeyPatch, signs: str) -> None:
    """zxcvbn tries every substitution of letters by signs: with all of them it takes seconds."""
    asked: list[str] = []

    def noting(text: str, user_inputs: list[str]) -> object:
        assert len(user_inputs) <= 20
        asked.append(text)
        return zxcvbn(text, user_inputs)

    monkeypatch.setattr("zxcvbn.zxcvbn", noting)
    passwords.refuse_weak(signs, [f"word{each} other{each}" for each in range(100)])
    for text in asked:
        assert len(text) <= 48
        assert len(set(text) & set("@({[<!|$+%")) <= 2


def test_no_more_are_hashed_at_once_than_memory_is_meant_for(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = BoundedSemaphore(1)
    taken.acquire()
    monkeypatch.setattr(passwords, "_at_once", taken)
    monkeypatch.setattr(passwords, "_WAIT_S", 0.01)
    with pytest.raises(TooMany):
        passwords.hash_password(STRONG)
    taken.release()
    passwords.hash_password(STRONG)
    assert taken.acquire(blocking=False)
