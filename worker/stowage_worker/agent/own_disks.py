"""Benchmark of the local machine's disks: DiskBench documents on standard output, progress on standard error."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

from stowage_worker.agent.disk import DiskBench
from stowage_worker.agent.disks import NoDiskError, at, free, remove
from stowage_worker.agent.machine import memory_bytes
from stowage_worker.agent.orders import DiskPhase
from stowage_worker.agent.phase import stopping_on_sigterm

_MODES = ("read-write", "read", "write")


def measure_disks(asked: argparse.Namespace) -> int:
    """Run the disk benchmarks that the command line requests.

    Returns
    -------
    int
        Exit status: 0 if every mode succeeds, 1 if any mode fails, 2 for an invalid request.
    """
    problem = _problem(asked)
    if problem is not None:
        sys.stderr.write(f"{problem}\n")
        return 2
    is_stopping = stopping_on_sigterm()
    disks = []
    statuses = []
    try:
        for path in asked.path:
            # One by one, so that created files are removed even if a later path is refused.
            disks += [at(path, destroy=asked.destroy, size_bytes=asked.size, memory_bytes=memory_bytes())]
        if not asked.path:
            disks = free(_say, destroy=asked.destroy)
        filled: dict[str, int] = {}
        for mode in dict.fromkeys(asked.mode or _MODES):
            if is_stopping():
                return 1
            name = f"disk-{mode}"
            fill_s = asked.measured + asked.warm_up
            phase = DiskPhase(name, mode, asked.measured, asked.warm_up, asked.block, "as named", fill_s)
            measured = DiskBench(disks, phase, _say, is_stopping, filled).run()
            statuses.append(measured.status)
            sys.stdout.write(json.dumps(measured.document) + "\n")
            sys.stdout.flush()
    except NoDiskError as none:
        sys.stderr.write(f"{none}\n")
        return 2
    finally:
        remove(disks)
    return 0 if set(statuses) == {"ok"} else 1


def _problem(asked: argparse.Namespace) -> str | None:
    """Return the error in the command line; None if it is valid."""
    if not (math.isfinite(asked.measured) and 1.0 <= asked.measured <= 3600.0):
        return f"--measured is {asked.measured}, not between 1 and 3600 seconds"
    if not (math.isfinite(asked.warm_up) and 0.0 <= asked.warm_up <= 600.0):
        return f"--warm-up is {asked.warm_up}, not between 0 and 600 seconds"
    if asked.block < 512 or asked.block > 64 << 20 or asked.block % 512:
        return f"--block is {asked.block}, not a multiple of 512 from 512 to 67108864"
    if asked.size is not None and asked.size < 1 << 20:
        return f"--size is {asked.size}, less than 1048576"
    return None


def _say(event: dict[str, Any]) -> None:
    if event.get("event") == "log":
        sys.stderr.write(f"{event['words']}\n")
    elif event.get("event") == "progress":
        live = event["live"]
        rates = ", ".join(f"{name.split('_')[0]} {rate:,.0f} MB/s" for name, rate in live.items() if rate)
        sys.stderr.write(f"{event['progress']:4.0%} {event['words']}  {rates}\n")
    sys.stderr.flush()
