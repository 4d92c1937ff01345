"""Stand-ins outside of the service for a hostile team: a webhook that never answers, and endless buckets.

The webhook needs a public address. It gets one in a network namespace of this process: nothing leaves the machine.

Attackers and AWS have machines of their own; here they share two cores with the service. So the session of this
process, with the stand-ins and the attacker, has the lowest priority; the service and its users have their own.
"""

import ctypes
import logging
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from uuid import UUID

from bench.load.service import Up  # noqa: F401 - first: it makes importable what lies in tests

from aws_account import Simulated, connected_account, list_endlessly  # isort: skip
from bench.load.seeding import Service  # isort: skip
from laboratory.account import ACCOUNT, BUCKET  # isort: skip
from quoted import approved, connected  # isort: skip

PUBLIC = "192.88.100.1"
"""Public, so that webhooks may be there; on the loopback device of the namespace only."""
PORT = 443
ACCOUNTS = 3
_CLONE_NEWNET = 0x40000000
_AUTOGROUP = Path("/proc/self/autogroup")
_LOWEST_PRIORITY = 19


@dataclass(frozen=True, slots=True)
class StandIns:
    """Stand-ins, and how often each was used."""

    aws: Simulated
    webhook: str | None
    """Address of a webhook that never answers; None where this process may not have a network of its own."""
    accepted: Sequence[int]
    """Grows by one with each connection to the webhook."""
    listed: Sequence[int]
    """Grows by one with each listed page of a bucket."""

    def environment(self) -> Mapping[str, str]:
        """Return the settings with which the service reaches the simulated AWS."""
        return self.aws.answers() | {"STOWAGE_AWS_PRINCIPAL": "arn:aws:iam::111122223333:role/stowage-worker"}

    def connect(self, service: Service, org_id: UUID) -> None:
        """Connect accounts for a team, each with an approved run, whose bucket lists pages without an end."""
        for _ in range(ACCOUNTS):
            approved(service.database, org_id, connected(service.database, org_id, bucket=BUCKET, account=ACCOUNT))

    def told(self) -> Iterator[str]:
        """Yield lines: how often each was used."""
        yield f"hostile team, row 5: {len(self.listed):,} pages of buckets listed"
        if self.webhook is None:
            yield "hostile team, row 6: no webhook: only root may have a network namespace"
        else:
            yield f"hostile team, row 6: {len(self.accepted):,} connections to a webhook that never answers"


@contextmanager
def stand_ins() -> Iterator[StandIns]:
    """Put up what the hostile team has outside; call it before any thread is started."""
    # The simulated AWS tells each of its requests.
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    with ExitStack() as stack:
        stack.enter_context(_lowest_priority())
        accepted: list[int] = []
        has_network = _enter_own_network()
        if has_network:
            stack.enter_context(_silent_webhook(accepted))
        aws = stack.enter_context(connected_account())
        # Each account has an external id of its own; the simulation knows one.
        aws.between.external_id = None
        aws.enforced.open_to_anybody = True
        listed = list_endlessly(aws, lambda number: f"stowage/{UUID(int=number)}/", folders=True)
        yield StandIns(aws, f"https://{PUBLIC}/slow" if has_network else None, accepted, listed)


@contextmanager
def _lowest_priority() -> Iterator[None]:
    """Lower the priority of this session for the block; only root may raise it again, so for root only."""
    before = _session_priority()
    if before is None or os.geteuid() != 0:
        yield
        return
    _AUTOGROUP.write_text(str(_LOWEST_PRIORITY))
    try:
        yield
    finally:
        _AUTOGROUP.write_text(str(before))


def _session_priority() -> int | None:
    """Return the niceness of this session; None on a kernel without it (sched(7), autogroup)."""
    words = _AUTOGROUP.read_text().split() if _AUTOGROUP.exists() else []
    return int(words[-1]) if words else None


def _enter_own_network() -> bool:
    """Move this process into a network namespace with loopback and `PUBLIC`; return whether that is possible here."""
    if os.geteuid() != 0 or ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET) != 0:
        return False
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
    return True


@contextmanager
def _silent_webhook(accepted: list[int]) -> Iterator[None]:
    """Accept connections at `PUBLIC` and never answer."""
    held: list[socket.socket] = []

    def accept(listening: socket.socket) -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            # Kept open: to close it would be an answer.
            held.append(line)
            accepted.append(len(accepted))

    with socket.create_server((PUBLIC, PORT), backlog=128) as listening:
        Thread(target=accept, args=(listening,), daemon=True).start()
        try:
            yield
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            for line in held:
                line.close()
