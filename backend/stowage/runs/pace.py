"""Pace of a run: poll interval, timeouts, and the time reserved for teardown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """Poll interval, timeouts and poll counts of a run.

    Parameters
    ----------
    look_s : float
        Poll interval [s]; longer while AWS does not answer.
    boot_s : float
        Time within which all nodes of a launch attempt must be up, and within which a node must send its first
        heartbeat [s].
    emr_boot_s : float
        Time within which an EMR cluster must be up [s].
    silent_s : float
        Time without a heartbeat after which a node counts as lost [s].
    instruct_s : float
        Interval at which orders are rewritten [s]; the presigned URLs in them are valid for at most an hour.
    stop_s : float
        Time allowed before teardown for nodes to send their results so far [s].
    tear_down_s : float
        Time between the latest start of teardown and the nodes' self-termination [s].
    timer_s : float
        Time between the nodes' self-termination and the deadline, in which they shut down [s].
    collect_s : float
        Time allowed for the last results of the nodes to arrive [s].
    settle_s : float
        The account counts as clear after no resource was listed for this time [s]; EC2 lists resources late.
    settle_looks : int
        Minimum number of polls within ``settle_s``.
    unseen_s : float
        Replaces ``settle_s`` if the outcome of a launch is unknown, or if an instance was never listed [s].
    denied_s : float
        Time after which an IAM role whose requests AWS denies counts as revoked [s]; before that, it may be too new.
    stale_s : float
        Time after which an approved run is no longer launched [s].
    give_up_s : float
        Time past the deadline after which teardown is abandoned and a person must act [s].
    give_up_looks : int
        Minimum number of polls past the deadline before teardown is abandoned, since time also passes without polls.
    """

    look_s: float = 5.0
    boot_s: float = 420.0
    emr_boot_s: float = 1200.0
    silent_s: float = 120.0
    instruct_s: float = 900.0
    stop_s: float = 45.0
    tear_down_s: float = 60.0
    timer_s: float = 60.0
    collect_s: float = 60.0
    settle_s: float = 60.0
    settle_looks: int = 3
    unseen_s: float = 300.0
    denied_s: float = 180.0
    stale_s: float = 3600.0
    give_up_s: float = 3600.0
    give_up_looks: int = 60

    @property
    def ending_s(self) -> float:
        """Return the part of a run's time limit that is reserved for ending the run [s]."""
        return self.stop_s + self.tear_down_s + self.timer_s
