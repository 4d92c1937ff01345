"""Engines: the work of a framework beyond the unavoidable data transfers.

An engine applies to a sort or a MapReduce job. It is a list of causes of work, each a figure with its source: the start
of the shuffle, spills and merges, CPU time by data, the size of data in a shuffle and on the wire, and tasks that do
not divide evenly among the nodes. `DIRECT` has none of these causes: its time is the physical limit.
"""

from dataclasses import replace
from datetime import date
from typing import Literal

import numpy as np

from stowage.frozen import frozen
from stowage.model.figure import Figure, Number, value_of
from stowage.model.sizes import MB_PER_GB
from stowage.model.units import Quantity, longer

Merging = Literal["in passes", "as Hadoop", "once"]
"""Merging of intermediate data that exceeds memory: in passes of `mapreduce.MERGE_FAN_IN` runs; after a merge on the
map side, in such passes, the last of which feeds the reducer; or all runs at once, as Spark does."""

CPU_MB_PER_S_PER_VCPU = Number("cpu_mb_per_s_per_vcpu", 100.0, "MB/s per vCPU").estimated(
    "Default where nothing is known of the job's code. In the paper's DiskBench c3.large moved 104 MB/s per "
    "vCPU; its 178-node sort ran phase 2 at 45 MB/s per vCPU without being limited by CPU (section 5.1)",
    date(2015, 8, 27),
)
"""Default processing rate of one vCPU, for framework profiles without CPU time."""


@frozen
class Engine:
    """One way in which a framework runs a sort or a MapReduce job."""

    merging: Merging = "in passes"
    """Way to merge the sorted runs of intermediate data that does not fit in memory."""
    fetches_after_map: bool = False
    """Whether nodes send map output only after the last map task has ended, as in Spark."""
    map_cpu: Figure | None = None
    """CPU time of the map phase for each GB of input [s/GB], above 0; None for the rate `CPU_MB_PER_S_PER_VCPU`."""
    reduce_cpu: Figure | None = None
    """CPU time of the reduce phase for each GB of intermediate data [s/GB], above 0; None as for `map_cpu`."""
    task_cpu: Figure | None = None
    """CPU time for each task, in addition to the CPU time of its data [s], at least 0."""
    split: Figure | None = None
    """Input of a map task [MB], above 0; by default there are as many reduce tasks as map tasks. None if work divides
    evenly on any number of nodes."""
    shuffle_size: Figure | None = None
    """Bytes on disk and in a shuffle for each byte of intermediate data [1], above 0. It depends on the format and the
    compression."""
    wire_size: Figure | None = None
    """Bytes over a node's link for each byte that is sent [1], at least 1. It includes headers and acknowledgements."""
    alone: Figure | None = None
    """Part of the reduce phase in which fetching does not overlap with sorting and writing [1], 0 to 1. Only for
    engines that fetch after the map phase."""
    block_cpu: Figure | None = None
    """CPU time in each phase for each block of the shuffle [s], at least 0. A block is what one map task writes for one
    reduce task. Only for engines with a `split`."""
    sent_cpu: Figure | None = None
    """CPU time of sender and receiver together for each GB over the network [s/GB], at least 0."""
    fetch_mb: Figure | None = None
    """Traffic in addition to the data when one reduce task fetches from one other node [MB], at least 0. Only for
    engines with a `split`."""
    remote_input: bool = False
    """Whether map tasks read their input from any node, instead of only from the node on which they run."""

    @property
    def knows_nodes(self) -> bool:
        """Return whether flows depend on a node's memory and vCPUs.

        This holds even if the user gave no number of partitions.
        """
        return self.merging == "as Hadoop" or self.split is not None

    @property
    def even(self) -> "Engine":
        """Return the engine with its work divided evenly among the nodes.

        Used to compute the total work of all nodes.
        """
        return self if self.split is None else replace(self, split=None)

    @property
    def knows_cpu_time(self) -> bool:
        """Return whether the engine states the CPU time for each GB of data.

        It may state this time for the map phase, the reduce phase or both.
        """
        return self.map_cpu is not None or self.reduce_cpu is not None

    @property
    def cpu_weights(self) -> tuple[float, float]:
        """Return the CPU time of a byte in the map phase and in the reduce phase.

        Both are relative to the CPU time of a byte at the default rate, `CPU_MB_PER_S_PER_VCPU`.
        """
        return _weight(self.map_cpu), _weight(self.reduce_cpu)

    @property
    def stored(self) -> float:
        """Return the bytes on disk for each byte of intermediate data [1]."""
        return 1.0 if self.shuffle_size is None else self.shuffle_size.value

    @property
    def sent(self) -> float:
        """Return the bytes on the network for each byte of data that is sent [1]."""
        return 1.0 if self.wire_size is None else self.wire_size.value

    @property
    def serial(self) -> float:
        """Return the part of the reduce phase in which fetching does not overlap with sorting and writing [1]."""
        return value_of(self.alone)

    def tasks(self, data_mb: float) -> float | None:
        """Return the number of tasks for an amount of data [1].

        The result is None if the engine is modelled without tasks.
        """
        return None if self.split is None else float(np.ceil(data_mb / self.split.value))

    def task_mb(self, tasks: float | None, others: float | None, places: Quantity) -> Quantity:
        """Return the CPU time of the tasks of one node or slot, as an amount of data [MB].

        It is the time beyond the CPU time of the tasks' data. It is expressed as the data that a vCPU would process in
        this time at `CPU_MB_PER_S_PER_VCPU`.

        Parameters
        ----------
        tasks, others : float or None
            Number of tasks of the phase, and of the other phase: each task writes or reads a block for each task of the
            other phase. None if the engine is modelled without tasks.
        places : float or array
            Nodes or slots, above 0.
        """
        if tasks is None or others is None:
            return 0.0
        return whole(tasks / places) * (
            (value_of(self.task_cpu) + value_of(self.block_cpu) * others) * _DEFAULT_MB_PER_S
        )

    def network_mb(self, sent_mb: Quantity, received_mb: Quantity) -> Quantity | None:
        """Return the CPU time of a node's network traffic, as an amount of data [MB].

        It is the data that a vCPU would process in this time at `CPU_MB_PER_S_PER_VCPU`. The result is None if traffic
        takes no CPU time.

        Parameters
        ----------
        sent_mb, received_mb : float or array
            Data that the node sends, and data that it receives [MB].
        """
        if self.sent_cpu is None:
            return None
        return (sent_mb + received_mb) * (0.5 * _weight(self.sent_cpu))

    def fetches_mb(self, reduces: float | None) -> float:
        """Return the overhead of traffic when all reduce tasks fetch from one node [MB].

        It is the traffic in addition to the data itself.
        """
        return 0.0 if reduces is None else value_of(self.fetch_mb) * reduces

    def figures(self) -> tuple[Figure, ...]:
        """List the figures that the engine adds to a prediction."""
        every = (
            *(self.map_cpu, self.reduce_cpu, self.task_cpu, self.split),
            *(self.shuffle_size, self.wire_size, self.alone, self.block_cpu, self.sent_cpu, self.fetch_mb),
        )
        return tuple(figure for figure in every if figure is not None)


def busiest(tasks: float | None, places: Quantity) -> Quantity:
    """Return the load of the busiest node, relative to the mean.

    Whole tasks are spread over nodes as evenly as possible. The function also applies to slots instead of nodes.

    Parameters
    ----------
    tasks : float or None
        Number of tasks, at least 1; None if the engine is modelled without tasks.
    places : float or array
        Nodes or slots, above 0.

    Returns
    -------
    float or array
        Load relative to the mean load [1], at least 1. With 5 tasks on 4 nodes it is 2 / 1.25, as one node has 2 tasks.

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


DIRECT = Engine()
"""Moves every byte where it must go, and does no other work."""

HADOOP = Engine(merging="as Hadoop")
"""Spills and merges of Hadoop's MapReduce on both sides of the shuffle."""
