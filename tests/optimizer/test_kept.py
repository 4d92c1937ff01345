"""Cache: a value is computed once, also for concurrent callers, and evicted when others were used more recently."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from stowage.optimizer.cache import Cache


def test_many_who_ask_at_once_wait_for_one() -> None:
    kept: Cache[str, object] = Cache(most=2)
    everybody = Barrier(8)
    made = []

    def make() -> object:
        made.append(object())
        return made[-1]

    def ask(_: int) -> object:
        everybody.wait()
        return kept.get("a", make)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(8))) == set(made)
    assert len(made) == 1


def test_what_was_used_longest_ago_goes_first() -> None:
    kept: Cache[str, str] = Cache(most=2)
    for key in ("a", "b", "a", "c"):
        kept.get(key, lambda key=key: key.upper())  # type: ignore[misc]  # mypy does not see the default
    assert kept.get("a", lambda: "made again") == "A"
    assert kept.get("b", lambda: "made again") == "made again"


def test_a_failure_is_not_kept() -> None:
    kept: Cache[str, float] = Cache(most=2)
    with pytest.raises(ZeroDivisionError):
        kept.get("a", lambda: 1 / 0)
    assert kept.get("a", lambda: 1.0) == 1.0
