"""Common parts of the readers of iperf, iperf3 and netperf.

They name runs, recognise loopback addresses, store figures of datagrams, and find runs that moved no data.
"""

import re
from collections.abc import Iterable
from typing import Any

from stowage.measure.files.compiled import maker
from stowage.measure.files.printed import MILLISECONDS, PERCENT, Printed
from stowage.measure.reading import Host, Reading, Status
from stowage.measure.tool import Tool

LOOPBACK_NOTE = "Over the machine's own loopback: it says nothing about a network"
_host = maker(Host)
_LOOPBACK = re.compile(r"(127\.|::1\Z|localhost\Z)")


def is_loopback(host: str | None) -> bool:
    """Return whether a peer is the machine itself."""
    return bool(host and _LOOPBACK.match(host))


def direction_of(*, back: bool) -> str:
    """Return the direction of a run; ``back`` if the server sends."""
    return "server to client" if back else "client to server"


def run_name(protocol: str, streams: str, direction: str) -> str:
    """Return the name of a run of iperf or iperf3."""
    return f"{protocol}, {streams} {'stream' if streams == '1' else 'streams'}, {direction}"


def add_datagrams(printed: Printed, datagrams: re.Match[str]) -> None:
    """Add jitter and losses of a row of text with the groups ``jitter`` and ``percent``."""
    printed.add("network_jitter_us", datagrams["jitter"], "ms", "Jitter", MILLISECONDS)
    printed.add("network_lost_share", datagrams["percent"], "%", "Lost", PERCENT)


def nothing_moved(printed: Printed) -> str | None:
    """Return the failure of a run that reports no transferred bytes; None if it reports any."""
    moved = "network_mb_per_s" in printed or "network_sent_mb_per_s" in printed
    return None if moved else "It reports no transferred bytes"


def network_reading(
    tool: Tool,
    printed: Printed,
    name: str,
    line: int,
    outcome: tuple[Status, str | None],
    *,
    peer: str | None,
    machine: tuple[str | None, str | None] = (None, None),
    notes: Iterable[str] = (),
    **others: Any,  # noqa: ANN401 - fields of a reading
) -> Reading:
    """Return the measurement of a run between two machines.

    Parameters
    ----------
    peer : str or None
        Address of the other machine.
    machine : tuple of str or None
        Name and kernel of the machine that wrote the file.
    notes : iterable of str
        Notes, before that on the loopback.
    others
        Other fields of the measurement.
    """
    loopback = is_loopback(peer)
    return printed.reading(
        tool,
        name,
        line,
        outcome,
        host=_host(*machine, None, None, None, 1 if loopback else 2, None, None, None, None),
        notes=(*notes, LOOPBACK_NOTE) if loopback else (*notes,),
        **others,
    )
