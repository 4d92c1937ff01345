"""Self-termination of a node: when its work is done, and at its deadline even if a program hangs."""

from __future__ import annotations

import subprocess
import time

from stowage_worker.agent.programs import found, output, start

_PATIENCE_S = 60.0


def end_machine() -> None:
    """Shut down this machine. EC2 then terminates the instance, as set at the launch."""
    command = found("shutdown")
    if command is not None:
        try:
            output([command, "-h", "now"], _PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            # The machine's own timers still apply.
            return


def end_machine_at(ends_at: float) -> None:
    """Schedule the shutdown of the machine, independent of this process.

    Parameters
    ----------
    ends_at : float
        Unix time of the shutdown. User data has already set a timer for the deadline; this timer is for an earlier time
        that orders set.
    """
    wait_s, shell = max(1, int(ends_at - time.time())), found("sh")
    if shell is not None:
        start([shell, "-c", f"sleep {wait_s}; exec shutdown -h now"], is_apart=True)
