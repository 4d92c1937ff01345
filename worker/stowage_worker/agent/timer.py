"""A node that ends itself: when it is done, and when its time is over, even if a program hangs."""

from __future__ import annotations

import subprocess
import time

from stowage_worker.agent.programs import found, output, start

_PATIENCE_S = 60.0


def end_machine() -> None:
    """Shut this machine down. EC2 terminates it then, since it was launched with that behaviour."""
    command = found("shutdown")
    if command is not None:
        try:
            output([command, "-h", "now"], _PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            # The machine's own timers are still to come.
            return


def end_machine_at(ends_at: float) -> None:
    """Have the machine shut down at a time, even if this process is long dead by then.

    Parameters
    ----------
    ends_at : float
        Unix time. The machine's user data set such a timer before the agent ran; this one holds where orders have less.
    """
    wait_s, shell = max(1, int(ends_at - time.time())), found("sh")
    if shell is not None:
        start([shell, "-c", f"sleep {wait_s}; exec shutdown -h now"], is_apart=True)
