"""The laboratory: simulated AWS, and machines on this host that really boot its instances.

It needs root, namespaces, virtual links with traffic shaping, loop devices and an overlay file system; `hindrance`
reports what is missing. Stowage's only setting for it is the address of the endpoint.
"""

import functools
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Interface
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep, time

import pytest

from laboratory.account import Account, account
from laboratory.between import Between, between
from laboratory.books import Books
from laboratory.hypervisor import Hypervisor
from laboratory.machine import Machine, disks
from laboratory.namespaces import switch
from laboratory.supplied import Supplied

_PROGRAMS = ("ip", "tc", "setpriv", "unshare", "losetup", "chroot", "fio")


@functools.cache
def hindrance() -> str | None:
    """Return why the laboratory cannot run on this machine; None if it can: a machine was booted."""
    missing = [each for each in _PROGRAMS if shutil.which(each) is None]
    if missing:
        return f"not on this machine: {', '.join(missing)}"
    if os.geteuid() != 0:
        return "network namespaces and loop devices need root"
    try:
        with TemporaryDirectory(prefix="stowage-laboratory-") as name, switch() as plugged:
            folder = Path(name)
            link = plugged.plug("try", IPv4Interface("172.31.0.4/16"), 100.0)
            with disks(folder, 1, 1) as devices:
                machine = Machine(folder / "try", link.namespace, "try", b"#!/bin/bash\nshutdown -h now\n", devices)
                until = time() + 60
                while machine.ended() is None and time() < until:
                    sleep(0.01)
                if machine.ended() != "powered off":
                    machine.kill()
                    return f"a machine did not boot: {machine.console().strip()}"
    except OSError as error:
        return str(error)
    return None


def require() -> None:
    """Skip a test if the laboratory cannot run; fail where no test may be skipped."""
    reason = hindrance()
    if reason is not None:
        if os.environ.get("STOWAGE_SOAK"):
            pytest.fail(f"there can be no laboratory: {reason}")
        pytest.skip(f"not run: there can be no laboratory: {reason}")


@dataclass
class Laboratory:
    """Simulated AWS as a test uses it."""

    account: Account
    between: Between
    supplied: Supplied
    hypervisor: Hypervisor

    @property
    def books(self) -> Books:
        return self.hypervisor.books

    def billed_usd(self) -> float:
        """Return AWS' bill until now [USD]."""
        asked = [call.action for _, call, status in list(self.between.calls) if status]
        self.books.puts = sum(each in {"s3:PutObject", "s3:ListBucket", "s3:PostObject"} for each in asked)
        self.books.gets = sum(each in {"s3:GetObject", "s3:HeadObject"} for each in asked)
        return self.books.usd(time())

    def left(self) -> dict[str, list[str]]:
        """List the resources left in the account."""
        found = self.account.left()
        groups = sorted(self.supplied.placement_groups)
        return found | ({"placement groups": groups} if groups else {})

    def environment(self) -> Mapping[str, str]:
        """Return the settings that make boto3 use this endpoint."""
        return {
            "AWS_ENDPOINT_URL": self.between.address,
            "AWS_ACCESS_KEY_ID": "AKIASTOWAGE",
            "AWS_SECRET_ACCESS_KEY": "example",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        }


@contextmanager
def laboratory(mbit_per_s: float = 400.0) -> Iterator[Laboratory]:
    """Start the laboratory; at its end, remove everything from this machine."""
    require()
    with (
        TemporaryDirectory(prefix="stowage-laboratory-") as folder,
        account() as simulated,
        between(simulated.moto) as endpoint,
        switch() as plugged,
    ):
        supplied = Supplied(simulated)
        supplied.stand_in(endpoint)
        host, _, port = endpoint.address.removeprefix("http://").partition(":")
        hypervisor = Hypervisor(simulated, supplied, plugged, (host, int(port)), Path(folder), mbit_per_s=mbit_per_s)
        with hypervisor:
            yield Laboratory(simulated, endpoint, supplied, hypervisor)
        if hypervisor.problems:
            raise ExceptionGroup("the hypervisor failed", [e for e in hypervisor.problems if isinstance(e, Exception)])
