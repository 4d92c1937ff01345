"""Machine type and operating system."""

from __future__ import annotations

import os
import platform


def host() -> dict[str, object]:
    """Describe this machine as documents of DiskBench and NetBench do."""
    return {
        "name": platform.node()[:200],
        "kernel": f"{platform.system()} {platform.release()}"[:200],
        "cpus": os.cpu_count() or 1,
        "memory_gib": round(memory_bytes() / (1 << 30), 3),
    }


def memory_bytes() -> int:
    """Return how much memory this machine has [bytes]."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
