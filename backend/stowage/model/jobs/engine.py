"""Engines: what a framework does with the bytes of a sort or a MapReduce job beside moving each where it must go.

An engine is a list of causes, each a figure with its source: when the shuffle begins, what is spilled and merged,
what a byte costs the CPUs, how much larger data is in a shuffle and on the wire, tasks that do not divide evenly.
`DIRECT` has none of them: what remains is the physical limit.
"""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np

from stowage.model.figure import Figure
from stowage.model.sizes import MB_PER_GB
from stowage.model.units import Quantity, longer

Merging = Literal["in passes", "as Hadoop", "once"]
"""How intermediate data beyond memory is merged: in passes of `mapreduce.MERGE_FAN_IN` runs; in such passes, of which
the last feeds the reducer, after a merge on the map side; or all runs at once, as Spark does."""

CPU_MB_PER_S_PER_VCPU = Figure(
    quantity="cpu_mb_per_s_per_vcpu",
    value=100.0,
    unit="MB/s per vCPU",
    source=(
        "Default where nothing is known of the job's code. In the paper's DiskBench c3.large moved 104 MB/s per "
        "vCPU; its 178-node sort ran phase 2 at 45 MB/s per vCPU without being limited by CPU (section 5.1)"
    ),
    kind="estimated",
    as_of=date(2015, 8, 27),
)
"""What one vCPU processes, where no framework profile says more."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How a framework runs a sort or a MapReduce job.

    Parameters
    ----------
    merging : {"in passes", "as Hadoop", "once"}
    fetches_after_map : bool
        Whether nodes begin to send map output when the last map task has ended, as Spark's do.
    map_cpu, reduce_cpu : Figure or None
        CPU time for each GB of input of the map phase, and of intermediate data of the reduce phase [s/GB], above 0;
        None for what `CPU_MB_PER_S_PER_VCPU` gives.
    task_cpu : Figure or None
        CPU time for each task beside its data [s], at least 0.
    block_cpu : Figure or None
        CPU time in each phase for each block of the shuffle, which one map task makes for one reduce task [s], at
        least 0. Of an engine with a `split`.
    sent_cpu : Figure or None
        CPU time of sender and receiver together for each GB over the network [s/GB], at least 0.
    split : Figure or None
        Input of a map task [MB], above 0; reduce tasks are as many where nobody says how many. None where work divides
        evenly however many nodes there are.
    shuffle_size : Figure or None
        Bytes of intermediate data on disk and in a shuffle for each byte of it [1], above 0: format and compression.
    wire_size : Figure or None
        Bytes over a node's link for each byte that is sent [1], at least 1: headers and acknowledgements.
    fetch_mb : Figure or None
        Bytes over a link, beside the data, for what a reduce task fetches from one other node [MB], at least 0. Of an
        engine with a `split`.
    remote_input : bool
        Whether map tasks read input of any node instead of their own node's.
    alone : Figure or None
        Part of the reduce phase's work that does not overlap: tasks first fetch, then sort and write [1], 0 to 1. Of an
        engine that fetches after the map phase.
    """

    merging: Merging = "in passes"
    fetches_after_map: bool = False
    map_cpu: Figure | None = None
    reduce_cpu: Figure | None = None
    task_cpu: Figure | None = None
    split: Figure | None = None
    shuffle_size: Figure | None = None
    wire_size: Figure | None = None
    alone: Figure | None = None
    block_cpu: Figure | None = None
    sent_cpu: Figure | None = None
    fetch_mb: Figure | None = None
    remote_input: bool = False

    @property
    def knows_nodes(self) -> bool:
        """Return whether flows depend on memory and vCPUs of a node although no number of partitions is given."""
        return self.merging == "as Hadoop" or self.split is not None

    @property
    def even(self) -> "Engine":
        """Return the engine with tasks that divide evenly: what all nodes move together."""
        return self if self.split is None else replace(self, split=None)

    @property
    def knows_cpu_time(self) -> bool:
        """Return whether CPU time by data is known of some phase."""
        return self.map_cpu is not None or self.reduce_cpu is not None

    @property
    def cpu_weights(self) -> tuple[float, float]:
        """Return what a byte of the map and of the reduce phase takes of the CPUs, 1 for `CPU_MB_PER_S_PER_VCPU`."""
        return _weight(self.map_cpu), _weight(self.reduce_cpu)

    @property
    def stored(self) -> float:
        """Return the bytes on disk for each byte of intermediate data [1]."""
        return 1.0 if self.shuffle_size is None else self.shuffle_size.value

    @property
    def sent(self) -> float:
        """Return the bytes over a link for each byte that is sent, whatever it is [1]."""
        return 1.0 if self.wire_size is None else self.wire_size.value

    @property
    def serial(self) -> float:
        """Return the part of the reduce phase's work that does not overlap [1]."""
        return 0.0 if self.alone is None else self.alone.value

    def tasks(self, data_mb: float) -> float | None:
        """Return into how many tasks data is cut [1]; None where tasks do not matter."""
        return None if self.split is None else float(np.ceil(data_mb / self.split.value))

    def task_mb(self, tasks: float | None, others: float | None, places: Quantity) -> Quantity:
        """Return what tasks cost the CPUs of a place beside their data, as data of the default rate [MB].

        Parameters
        ----------
        tasks, others : float or None
            Tasks of the phase and of the other one: each has a block for each of the others. None where tasks do not
            matter.
        places : float or array
            Nodes or slots, above 0.
        """
        if tasks is None or others is None:
            return 0.0
        return whole(tasks / places) * ((_value(self.task_cpu) + _value(self.block_cpu) * others) * _DEFAULT_MB_PER_S)

    def network_mb(self, sent_mb: Quantity, received_mb: Quantity) -> Quantity | None:
        """Return what a node's traffic costs its CPUs, as data of the default rate [MB]; None where it costs nothing.

        Parameters
        ----------
        sent_mb, received_mb : float or array
            [MB].
        """
        if self.sent_cpu is None:
            return None
        return (sent_mb + received_mb) * (0.5 * _weight(self.sent_cpu))

    def fetches_mb(self, reduces: float | None) -> float:
        """Return what all reduce tasks fetch from one node beside its data [MB]."""
        return 0.0 if reduces is None else _value(self.fetch_mb) * reduces

    def figures(self) -> tuple[Figure, ...]:
        """List what the engine puts into a prediction."""
        every = (
            *(self.map_cpu, self.reduce_cpu, self.task_cpu, self.split),
            *(self.shuffle_size, self.wire_size, self.alone, self.block_cpu, self.sent_cpu, self.fetch_mb),
        )
        return tuple(figure for figure in every if figure is not None)


def busiest(tasks: float | None, places: Quantity) -> Quantity:
    """Return what the busiest of some places does, where tasks are spread as evenly as whole tasks can be.

    Parameters
    ----------
    tasks : float or None
        At least 1; None where tasks do not matter.
    places : float or array
        Nodes or slots, above 0.

    Returns
    -------
    float or array
        In shares of the mean [1], at least 1: of 5 tasks on 4 places one does 2, the mean is 1.25.

    Examples
    --------
    >>> busiest(5.0, 4.0), busiest(8.0, 4.0), busiest(2.0, 4.0)
    (1.6, 1.0, 2.0)
    """
    if tasks is None:
        return 1.0
    each = tasks / places
    return longer(whole(each) / each, 1.0)


def whole(quantity: Quantity) -> Quantity:
    """Round up to whole numbers."""
    return np.ceil(quantity) if isinstance(quantity, np.ndarray) else float(np.ceil(quantity))


_DEFAULT_MB_PER_S = CPU_MB_PER_S_PER_VCPU.value


def _weight(cpu: Figure | None) -> float:
    return 1.0 if cpu is None else cpu.value / MB_PER_GB * _DEFAULT_MB_PER_S


def _value(figure: Figure | None) -> float:
    return 0.0 if figure is None else figure.value


DIRECT = Engine()
"""Every byte where it must go, and nothing else."""

HADOOP = Engine(merging="as Hadoop")
"""Spills and merges of Hadoop's MapReduce on both sides of the shuffle."""
