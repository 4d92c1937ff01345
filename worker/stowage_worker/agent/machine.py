"""Description of this machine: name, kernel, CPUs and memory."""

from __future__ import annotations

import os
import platform


def host() -> dict[str, object]:
    """Return the machine's description for DiskBench and NetBench documents."""
    return {
        "name": platform.node()[:200],
        "kernel": f"{platform.system()} {platform.release()}"[:200],
        "cpus": os.cpu_count() or 1,
        "memory_gib": round(memory_bytes() / (1 << 30), 3),
    }


def memory_bytes() -> int:
    """Return the memory size of this machine [bytes]."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
