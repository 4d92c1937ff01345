"""The laboratory: AWS simulated, and machines that really boot what is launched there, on this machine.

It needs root, namespaces, cables of their own with a shape, loop devices and an overlay; `hindrance` says what is
not to be had. Stowage is told of it by nothing but the address of the endpoint.
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
    """Return why there can be no laboratory on this machine; None where there can: a machine was booted."""
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
    """Skip a test by name where there can be no laboratory; where nothing may be left out, fail."""
    reason = hindrance()
    if reason is not None:
        if os.environ.get("STOWAGE_SOAK"):
            pytest.fail(f"there can be no laboratory: {reason}")
        pytest.skip(f"not run: there can be no laboratory: {reason}")


@dataclass
class Laboratory:
    """AWS as a test has it."""

    account: Account
    between: Between
    supplied: Supplied
    hypervisor: Hypervisor

    @property
    def books(self) -> Books:
        return self.hypervisor.books

    def billed_usd(self) -> float:
        """Add up what AWS would bill until now [USD]."""
        asked = [call.action for _, call, status in list(self.between.calls) if status]
        self.books.puts = sum(each in {"s3:PutObject", "s3:ListBucket", "s3:PostObject"} for each in asked)
        self.books.gets = sum(each in {"s3:GetObject", "s3:HeadObject"} for each in asked)
        return self.books.usd(time())

    def left(self) -> dict[str, list[str]]:
        """Ask what is left in the account."""
        found = self.account.left()
        groups = sorted(self.supplied.placement_groups)
        return found | ({"placement groups": groups} if groups else {})

    def environment(self) -> Mapping[str, str]:
        """Return what makes boto3 ask here."""
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
    """Open the laboratory; at its end nothing of it is left on this machine."""
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
