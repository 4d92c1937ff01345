"""Statistics of the load bench: percentiles, errors by kind, and when a number of users counts as held."""

import pytest

from bench.load.figures import Request, line_of, misses, percentile, printed, slower, table_of


def many(kind: str, waited_s: float, count: int, status: int = 200) -> list[Request]:
    return [Request(kind, 0.0, waited_s, status) for _ in range(count)]


def held() -> list[Request]:
    return many("list plans", 0.25, 2_000) + many("preview", 0.9, 2_000)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50.0), (0.95, 95.0), (0.99, 99.0), (0.001, 1.0), (1.0, 100.0)])
def test_a_percentile_is_the_smallest_value_that_covers_the_share(share: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


def test_what_failed_has_no_time_and_stands_under_errors_by_kind() -> None:
    requests = [
        *many("save plan", 0.1, 3, 201),
        *many("save plan", 60.0, 2, 503),
        *many("save plan", 20.0, 1, 0),
        Request("save plan", 0.0, 0.01, 429, retry_after=True),
        Request("save plan", 0.0, 0.01, 429, retry_after=True, quota="plans-per-day"),
        Request("save plan", 0.0, 0.01, 403, quota="plans"),
    ]
    line = line_of("save plan", requests)
    assert (line.count, line.p50_s, line.p99_s, line.shed) == (9, 0.1, 0.1, 1)
    assert line.errors == {"503": 2, "no response": 1, "429 quota plans-per-day": 1, "403 quota plans": 1}


def test_a_429_without_a_time_to_try_again_is_an_error_and_no_shedding() -> None:
    line = line_of("preview", [Request("preview", 0.0, 0.01, 429)])
    assert (line.shed, line.errors, line.p50_s) == (0, {"429": 1}, None)


def test_users_are_held_with_fast_reads_and_previews_and_one_failure_in_a_thousand() -> None:
    assert misses(held() + many("preview", 0.1, 4, 503)) == []


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (many("preview", 0.1, 5, 503), "5 of 4,005 requests failed or were shed"),
        ([Request("preview", 0.0, 0.1, 429, retry_after=True)] * 5, "5 of 4,005 requests failed or were shed"),
        (many("read report", 0.4, 200), "p95 of reads is 400 ms, not 300"),
        (many("preview", 1.2, 200), "p95 of previews is 1,200 ms, not 1000"),
    ],
)
def test_users_are_not_held_by_errors_shed_requests_or_late_answers(more: list[Request], part: str) -> None:
    assert misses(held() + more) == [part]


def test_a_level_without_requests_does_not_count_as_held() -> None:
    assert misses([])


def test_the_table_has_a_row_for_each_kind_and_for_all_reads() -> None:
    lines = table_of([*many("list plans", 0.1, 3), *many("preview", 0.5, 2), *many("read plan", 0.3, 1)])
    assert [(line.kind, line.count) for line in lines] == [
        ("list plans", 3),
        ("preview", 2),
        ("read plan", 1),
        ("all reads", 4),
        ("everything", 6),
    ]
    assert list(printed(lines))[2] == "| list plans | 3 | 100 | 100 | 100 | 0 | 0 |"


def test_two_loads_are_compared_by_kinds_that_succeeded_in_both() -> None:
    without = [*many("list plans", 0.1, 3), *many("preview", 0.5, 2), *many("save plan", 0.5, 2)]
    beside = [*many("list plans", 0.15, 3), *many("preview", 1.0, 2), *many("save plan", 0.5, 2, 503)]
    assert list(slower(without, beside)) == [
        ("list plans", 0.1, 0.15),
        ("preview", 0.5, 1.0),
        ("all reads", 0.1, 0.15),
        ("everything", 0.5, 1.0),
    ]
