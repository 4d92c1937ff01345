"""How patient a run is: how often it looks, how long it waits for whom, how early it begins to tear down."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient a run is; in seconds, but for the counts of looks.

    Parameters
    ----------
    look_s : float
        Between two looks; longer where AWS does not answer.
    boot_s : float
        For all nodes of an attempt to be up, and for a node to be heard of first.
    emr_boot_s : float
        For a cluster of EMR to be up.
    silent_s : float
        Nothing was heard of a node for so long: it is lost.
    instruct_s : float
        After which orders are written again: the addresses in them hold for an hour at most.
    stop_s : float
        For nodes to send what they have, before teardown.
    tear_down_s : float
        From where teardown begins at the latest, to when nodes end themselves.
    timer_s : float
        From when nodes end themselves, to the deadline: within it they are shut down, by themselves or by Stowage.
    collect_s : float
        For what nodes have sent to be there.
    settle_s : float
        In which nothing may be seen, before it is believed that nothing is there: EC2 lists late.
    settle_looks : int
        Looks within that time, at least.
    unseen_s : float
        The same, where a launch was asked for of which no answer is known, or where an instance was never listed.
    denied_s : float
        After which a role that is refused counts as lost, and not as new.
    stale_s : float
        After which what was approved is not launched any more.
    give_up_s : float
        Past the deadline, after which a person must look.
    give_up_looks : int
        Looks past the deadline, before that is believed: time alone also passes while no poll happens.
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
        """Return how much of the time limit is kept for ending [s]."""
        return self.stop_s + self.tear_down_s + self.timer_s
