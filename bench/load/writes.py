"""Writes: their journal, and the comparison with what the service returns at the end. Pure.

A user notes each write before it is sent, and once more when it is acknowledged. A write that was never acknowledged
may be stored or not; one that was must be there. Each write has a subject, one place of the service; of several writes
to one subject the last acknowledged one counts, or one that was sent after it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Write:
    """One write."""

    id: str
    user: int
    """Number in the cast: who may read it."""
    path: str
    """Where it is read."""
    want: Mapping[str, Any]
    """Path in the JSON document -> value: `{"answer.workload.name": "x"}`."""
    acknowledged: bool = False


@dataclass(slots=True)
class Journal:
    """All writes, in the order in which they were sent."""

    writes: dict[str, Write] = field(default_factory=dict)

    def acknowledged(self) -> int:
        """Count the acknowledged ones."""
        return sum(each.acknowledged for each in self.writes.values())


def read_journal(rows: Iterable[Mapping[str, Any]]) -> Journal:
    """Convert the rows that users wrote: ``sent`` with the write, ``acknowledged`` with its id, and what became known.

    An acknowledgement may name the path, which is not known before the service has chosen an id.
    """
    journal = Journal()
    for row in rows:
        if row["event"] == "sent":
            journal.writes[row["id"]] = Write(row["id"], row["user"], row.get("path", ""), row["want"])
        else:
            write = journal.writes[row["id"]]
            write.acknowledged = True
            write.path = row.get("path") or write.path
    return journal


def lost(journal: Journal, read: Callable[[int, str], Any]) -> list[str]:
    """Return a line for each acknowledged write that the service does not return as it was acknowledged.

    Parameters
    ----------
    journal : Journal
    read : callable
        Called with a user and a path; returns the JSON document, or None where there is none.
    """
    by_subject: defaultdict[tuple[str, str], list[Write]] = defaultdict(list)
    for write in journal.writes.values():
        for pointer in write.want:
            if write.path:
                by_subject[write.path, pointer].append(write)
    documents: dict[tuple[int, str], Any] = {}
    found = []
    for (path, pointer), writes in by_subject.items():
        acknowledged = [number for number, each in enumerate(writes) if each.acknowledged]
        if not acknowledged:
            continue
        # The last that was acknowledged, or any that was sent after it and may have arrived.
        possible = writes[acknowledged[-1] :]
        user = possible[0].user
        if (user, path) not in documents:
            documents[user, path] = read(user, path)
        document = documents[user, path]
        stored = None if document is None else at(document, pointer)
        if document is None:
            found.append(f"{path}: gone; acknowledged as {possible[0].id}")
        elif stored not in [each.want[pointer] for each in possible]:
            found.append(f"{path}: {pointer} is {stored!r:.80}, acknowledged as {possible[0].want[pointer]!r:.80}")
    return sorted(set(found))


def at(document: Any, pointer: str) -> Any:  # noqa: ANN401 - JSON
    """Return what is at a path of a JSON document; None where there is nothing.

    >>> at({"a": [{"b": 1}]}, "a.0.b"), at({"a": []}, "a.0.b")
    (1, None)
    """
    for part in pointer.split("."):
        if isinstance(document, list) and part.isdecimal() and int(part) < len(document):
            document = document[int(part)]
        elif isinstance(document, Mapping) and part in document:
            document = document[part]
        else:
            return None
    return document


def repeated(names: Iterable[str], marks: Sequence[str]) -> list[str]:
    """Return the names that users chose for one effect each and that are there more than once.

    Parameters
    ----------
    names : iterable of str
        Of all plans, sweeps, reports and measurements.
    marks : sequence of str
        How names of the load begin.
    """
    counts = Counter(name for name in names if name.startswith(tuple(marks)))
    return sorted(f"{name}: {count} times" for name, count in counts.items() if count > 1)
