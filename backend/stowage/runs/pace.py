"""Pace of a run: poll interval, timeouts, and the time reserved for teardown."""

from stowage.frozen import frozen


@frozen
class Pace:
    """Poll interval, timeouts and poll counts of a run."""

    look_s: float = 5.0
    """Poll interval [s]. The actual interval is longer while requests to AWS fail."""
    boot_s: float = 420.0
    """Time within which all nodes of a launch attempt must be up [s]. It is also the time within which a running node
    must send its first heartbeat."""
    emr_boot_s: float = 1200.0
    """Time within which an EMR cluster must be up [s]."""
    silent_s: float = 120.0
    """Time without a heartbeat after which a node counts as lost [s]."""
    instruct_s: float = 900.0
    """Interval at which orders are rewritten [s]. Their presigned URLs are valid for at most an hour."""
    stop_s: float = 45.0
    """Time allowed before teardown for nodes to send their results so far [s]."""
    tear_down_s: float = 60.0
    """Time between the latest start of teardown and the nodes' self-termination [s]."""
    timer_s: float = 60.0
    """Time between the nodes' self-termination and the deadline, in which they shut down [s]."""
    collect_s: float = 60.0
    """Time allowed for the last results of the nodes to arrive [s]."""
    settle_s: float = 60.0
    """Time without any listed resource after which the account counts as clear [s]. It is needed since EC2 lists
    resources late."""
    settle_looks: int = 3
    """Minimum number of polls within `settle_s`."""
    unseen_s: float = 300.0
    """Time that is used instead of `settle_s` if the outcome of a launch is unknown, or if an instance was never listed
    [s]."""
    denied_s: float = 180.0
    """Time after which an IAM role counts as revoked if AWS denies its requests [s]. Before that, the role may be too
    new."""
    stale_s: float = 3600.0
    """Time after which an approved run is no longer launched [s]."""
    give_up_s: float = 3600.0
    """Time past the deadline after which teardown is abandoned and a person must act [s]."""
    give_up_looks: int = 60
    """Minimum number of polls past the deadline before teardown is abandoned. It is needed since time also passes
    without polls."""

    @property
    def ending_s(self) -> float:
        """Return the time that is reserved for ending a run [s].

        It is part of the run's time limit.
        """
        return self.stop_s + self.tear_down_s + self.timer_s
