"""Statistics of requests: percentiles by kind, errors by kind, and whether a number of users is held."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

READS_P95_S, PREVIEWS_P95_S, ERRORS_SHARE = 0.300, 1.0, 0.001
"""What a number of users is held by: p95 of reads and of previews [s], share of requests that fail."""

PREVIEW = "preview"
READS = frozenset({"list plans", "read plan", "list reports", "read report", "read shared link", "list measurements"})


@dataclass(frozen=True, slots=True)
class Request:
    """One attempt of a user."""

    kind: str
    """What was requested: `save plan`."""
    at_s: float
    """When it was sent [s], seconds of the clock of the machine."""
    waited_s: float
    """Until the whole response was there [s]."""
    status: int
    """Of HTTP; 0 where there was no response."""
    retry_after: bool = False
    """Whether the response names a time to try again."""
    quota: str = ""
    """Name of the quota that is used up; "" for none."""

    @property
    def outcome(self) -> str:
        """Return ``ok``, ``shed``, or the kind of the error.

        Shed is a 429 with a time to try again that is not about a quota. A 429 of a quota is an error: the users of the
        load stay within their quotas.

        >>> Request("save plan", 0.0, 0.1, 201).outcome
        'ok'
        >>> Request("save plan", 0.0, 0.1, 429, retry_after=True).outcome
        'shed'
        >>> Request("save plan", 0.0, 0.1, 429, retry_after=True, quota="plans-per-day").outcome
        '429 quota plans-per-day'
        >>> Request("save plan", 0.0, 0.1, 0).outcome
        'no response'
        """
        if 200 <= self.status < 400:
            return "ok"
        if self.status == 0:
            return "no response"
        if self.quota:
            return f"{self.status} quota {self.quota}"
        return "shed" if self.status == 429 and self.retry_after else str(self.status)


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table."""

    kind: str
    count: int
    """Requests of all outcomes."""
    p50_s: float | None
    """Median response time of requests that succeeded [s]; None if no request succeeded."""
    p95_s: float | None
    """95% quantile of the response time of requests that succeeded [s]; None if no request succeeded."""
    p99_s: float | None
    """99% quantile of the response time of requests that succeeded [s]; None if no request succeeded."""
    shed: int
    errors: Mapping[str, int]
    """By kind of error."""


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that so large a share of the values does not exceed; None where there are no values.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 0.5), percentile([1.0] * 19 + [9.0], 0.95), percentile([], 0.5)
    (2.0, 1.0, None)
    """
    if not values:
        return None
    # Exact for shares in percent: 0.95 x 20 is 19.000000000000004 in floats of some other shares.
    rank = -(-len(values) * round(share * 1000) // 1000)
    return sorted(values)[max(rank, 1) - 1]


def line_of(kind: str, requests: Iterable[Request]) -> Line:
    """Compute one row."""
    every = list(requests)
    waited = [each.waited_s for each in every if each.outcome == "ok"]
    outcomes = Counter(each.outcome for each in every)
    shed = outcomes.pop("shed", 0)
    del outcomes["ok"]
    p50_s, p95_s, p99_s = (percentile(waited, share) for share in (0.5, 0.95, 0.99))
    return Line(kind, len(every), p50_s, p95_s, p99_s, shed, dict(outcomes))


def table_of(requests: Iterable[Request]) -> list[Line]:
    """Compute the rows of all kinds, by name, and behind them reads, previews and everything together."""
    by_kind: defaultdict[str, list[Request]] = defaultdict(list)
    for each in requests:
        by_kind[each.kind].append(each)
    every = [each for of_kind in by_kind.values() for each in of_kind]
    reads = [each for each in every if each.kind in READS]
    return [
        *(line_of(kind, by_kind[kind]) for kind in sorted(by_kind)),
        line_of("all reads", reads),
        line_of("everything", every),
    ]


def misses(requests: Sequence[Request]) -> list[str]:
    """Return what keeps this number of users from counting as held; nothing where it is held.

    A request that was shed is not held against the service as an error of its own, but the number of users is not held
    by requests that were sent away: shed ones count.
    """
    reads = line_of("reads", (each for each in requests if each.kind in READS))
    previews = line_of("previews", (each for each in requests if each.kind == PREVIEW))
    failed = sum(each.outcome != "ok" for each in requests)
    found = []
    if not requests or failed > ERRORS_SHARE * len(requests):
        found.append(f"{failed:,} of {len(requests):,} requests failed or were shed")
    for line, limit_s in ((reads, READS_P95_S), (previews, PREVIEWS_P95_S)):
        if line.p95_s is None or line.p95_s > limit_s:
            found.append(f"p95 of {line.kind} is {_ms(line.p95_s)} ms, not {1000 * limit_s:.0f}")
    return found


def printed(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the rows as a table in Markdown."""
    yield "| request | count | p50 [ms] | p95 [ms] | p99 [ms] | shed | errors |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for line in lines:
        times = " | ".join(_ms(value) for value in (line.p50_s, line.p95_s, line.p99_s))
        errors = ", ".join(f"{name}: {count:,}" for name, count in sorted(line.errors.items())) or "0"
        yield f"| {line.kind} | {line.count:,} | {times} | {line.shed:,} | {errors} |"


def slower(without: Sequence[Request], beside: Sequence[Request]) -> Iterator[tuple[str, float, float]]:
    """Yield kind and p95 [s] without and with the hostile team, of kinds that succeeded in both; all reads too."""
    after = {line.kind: line for line in table_of(beside)}
    for line in table_of(without):
        other = after.get(line.kind)
        if other is not None and line.p95_s is not None and other.p95_s is not None:
            yield line.kind, line.p95_s, other.p95_s


def read_requests(rows: Iterable[Mapping[str, Any]]) -> list[Request]:
    """Convert the rows that users wrote."""
    return [Request(**row) for row in rows]


def _ms(value_s: float | None) -> str:
    return "-" if value_s is None else f"{1000 * value_s:,.0f}"
