"""Frameworks: which part of the physical bound they reach, and how far off the bound has been.

A profile holds for every job of its framework. It is never tuned to one case: what its evidence cannot
explain stays in its error.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from stowage.model.cost import Recovery
from stowage.model.figure import Figure
from stowage.model.units import Quantity

_PAPER = date(2015, 8, 27)
_ST1_POST = date(2023, 2, 15)


@dataclass(frozen=True, slots=True)
class Framework:
    """A named efficiency profile.

    Parameters
    ----------
    name, version : str
        A profile that is fitted anew gets a new version.
    what : str
        What it stands for, in a sentence.
    evidence : str
        What it was derived from, and what it does not explain.
    error : Figure
        Standard deviation of ln(actual time / predicted time) [1]; multiplies the whole time
        with median 1.
    efficiency : Figure or None
        Part of every rate that is reached [1]; None for all of it.
    read_efficiency, write_efficiency : Figure or None
        The same for disks and volumes, on top of ``efficiency`` [1].
    streams : Figure or None
        Requests that a node keeps under way over its volumes [1]; None for as many as it takes.
    recovery : {"restart", "tasks"}
        What is done again when a node is lost.
    spills : bool
        Whether intermediate data is spilled and merged on both sides of the shuffle, as Hadoop does.
    """

    name: str
    version: str
    what: str
    evidence: str
    error: Figure
    efficiency: Figure | None = None
    read_efficiency: Figure | None = None
    write_efficiency: Figure | None = None
    streams: Figure | None = None
    recovery: Recovery = "restart"
    spills: bool = False

    def figures(self) -> tuple[Figure, ...]:
        """List what the profile puts into a prediction."""
        every = (self.efficiency, self.read_efficiency, self.write_efficiency, self.streams, self.error)
        return tuple(figure for figure in every if figure is not None)


def busy_share(streams: float, channels: Quantity) -> Quantity:
    """Say which share of equal channels k streams keep busy.

    Parameters
    ----------
    streams : float
        Requests under way at once; above 0.
    channels : float or array
        Volumes or disks that they fall on at random; at least 1.

    Returns
    -------
    float or array
        k / (k + v - 1) [1]; 1 for a single channel.

    Notes
    -----
    Each stream waits for its request before it sends the next, to a channel chosen at random: a closed
    queueing network of v equal exponential stations with k customers. By its product form all ways to
    share k requests among v stations are equally likely, and a station is idle in the share
    (v - 1) / (k + v - 1) of them. **Source**: J. P. Buzen, Computational algorithms for closed queueing
    networks with exponential servers, CACM 16 (1973), eq. 3 and 14.

    Examples
    --------
    >>> [round(busy_share(18.0, volumes), 3) for volumes in (1.0, 2.0, 4.0)]
    [1.0, 0.947, 0.857]
    """
    return streams / (streams + channels - 1.0)


def _st1(quantity: str, value: float, what: str) -> Figure:
    fitted = (
        "Fitted to the six times of an AWS Storage Blog post on st1 volumes under HDFS (TestDFSIO, 5 DataNodes "
        "r5.xlarge; the cluster's replication factor is EMR's 2)"
    )
    return Figure(f"framework.hadoop-dfsio.{quantity}", value, "1", f"{fitted}: {what}", "estimated", _ST1_POST)


IDEAL = Framework(
    name="ideal",
    version="1",
    what="The physical bound: every resource at its rate, nothing else in the way",
    evidence=(
        "The bound against the paper's three evaluations: +13.7%, -11.2% and -13.2% with the paper's own bandwidths. "
        "One efficiency for all three leaves 13% either way, so none is fitted: the error says it"
    ),
    error=Figure(
        quantity="framework.ideal.error",
        value=0.13,
        unit="1",
        source=(
            "Root mean square of ln(measured / equations) over the paper's three evaluations: "
            "888 against 1,010 s, 1,378 against 1,223 s, 2,981 against 2,588 s (sections 5.1 to 5.3)"
        ),
        kind="estimated",
        as_of=_PAPER,
    ),
)

HADOOP_DFSIO = Framework(
    name="hadoop-dfsio",
    version="1",
    what="Hadoop's HDFS clients as TestDFSIO drives them, with Hadoop's spills and merges where there is a shuffle",
    evidence=(
        "Six times of one AWS post on st1 volumes: fitted within 3.4%; leaving a row out at most 5.5%, leaving a "
        "layout out at most 15%. Nothing is known on other disks, other clusters or a shuffle"
    ),
    error=Figure(
        quantity="framework.hadoop-dfsio.error",
        value=0.09,
        unit="1",
        source="Root mean square of the six errors, each predicted from a fit without its layout (8.9%)",
        kind="estimated",
        as_of=_ST1_POST,
    ),
    read_efficiency=_st1("read_efficiency", 0.517, "reads reach this part of the volumes' burst throughput"),
    write_efficiency=_st1("write_efficiency", 0.851, "writes reach this part of the volumes' burst throughput"),
    streams=_st1(
        "streams", 17.8, "requests that a node keeps under way, by the differences between 1, 2 and 4 volumes"
    ),
    recovery="tasks",
    spills=True,
)

UNKNOWN = Framework(
    name="unknown",
    version="1",
    what="A framework of which nothing is known: a part of the bound as others reach it, and a wide range",
    evidence=(
        "Five efficiencies of two frameworks: Themis in the paper's three evaluations (1.14, 0.89, 0.87 of the bound), "
        "Hadoop's reads and writes (0.52, 0.85). Two frameworks are few"
    ),
    error=Figure(
        quantity="framework.unknown.error",
        value=0.29,
        unit="1",
        source="Standard deviation of the logarithms of five efficiencies of two frameworks (Themis, TestDFSIO)",
        kind="estimated",
        as_of=_ST1_POST,
    ),
    efficiency=Figure(
        quantity="framework.unknown.efficiency",
        value=0.83,
        unit="1",
        source="Geometric mean of five efficiencies of two frameworks: Themis 1.14, 0.89, 0.87; TestDFSIO 0.85, 0.52",
        kind="estimated",
        as_of=_ST1_POST,
    ),
)

FRAMEWORKS: Mapping[str, Framework] = {framework.name: framework for framework in (IDEAL, HADOOP_DFSIO, UNKNOWN)}
