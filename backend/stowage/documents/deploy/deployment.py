"""What is to be built: a configuration with all that a file needs that builds it."""

from dataclasses import dataclass
from typing import Literal

Processor = Literal["arm64", "x86_64"]
Role = Literal["input-output", "intermediate"]

USUAL_BLOCK_BYTES = 134_217_728
"""HDFS' own (hdfs-default.xml: 128 MiB)."""

RELEASE = "emr-7.14.0"
"""The newest release of EMR whose instance types are known here."""


@dataclass(frozen=True, slots=True)
class Volumes:
    """EBS volumes of a node, for input and output.

    Parameters
    ----------
    type : str
    size_gib : int
        Of each [GiB].
    count : int
    iops, throughput_mib_per_s : int or None
        Provisioned for each [1/s], [MiB/s].
    keep : bool
        Whether they outlive their node.
    """

    type: str
    size_gib: int
    count: int
    iops: int | None = None
    throughput_mib_per_s: int | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Rate:
    """What the disks or volumes of a role are expected to reach, all of a node together.

    Parameters
    ----------
    role : {"input-output", "intermediate"}
    way : {"read", "write"}
        Each measured alone; ``read`` of a figure that holds for both.
    value : float
        [MB/s] or [IOPS], by ``unit``.
    unit : {"MB/s", "IOPS"}
    words : str
        The value as people read it, with what it says: a bound, a measured mean.
    source : str
        Document and date.
    """

    role: Role
    way: Literal["read", "write"]
    value: float
    unit: Literal["MB/s", "IOPS"]
    words: str
    source: str


@dataclass(frozen=True, slots=True)
class Predicted:
    """What the model says of the configuration, in words, for the head of each file.

    Parameters
    ----------
    time, cost : str
        With their range: ``16 min 50 s (14–19 min)``.
    sentence : str
        The whole answer.
    basis : str
        Model, catalogue and profiles by version.
    """

    time: str
    cost: str
    sentence: str
    basis: str


@dataclass(frozen=True, slots=True)
class Primary:
    """The node that holds no data: HDFS' NameNode, EMR's primary.

    Parameters
    ----------
    instance : str
    processor : {"arm64", "x86_64"}
    """

    instance: str
    processor: Processor


@dataclass(frozen=True, slots=True)
class Deployment:
    """A configuration to be built.

    Parameters
    ----------
    name : str
        As somebody wrote it; any text.
    region, instance : str
    processor : {"arm64", "x86_64"}
    nodes : int
        That hold data, spares among them; at least 1.
    predicted : Predicted
    primary : Primary or None
        None where the prediction counts none.
    zones : int
        Availability zones that the nodes are spread over.
    placement_group : bool
        A cluster placement group; only within one zone.
    spot : bool
    service : {"ec2", "emr"}
        What the prediction holds for.
    local_disks : int
        That the type has.
    input_output_disks, intermediate_disks : int
        How they are divided; those that neither counts stay as they are. 0 intermediate disks: intermediate data
        shares what holds input and output.
    ephemeral_mapping : bool
        Whether the disks come only where a launch asks for them, as with types before NVMe.
    volumes : Volumes or None
    object_store : bool
        Input and output in S3.
    ebs_optimized : bool
        Whether the link to EBS has to be asked (and paid) for.
    bursts : bool
        Whether the type's processors live on credits.
    replication : int
        ``dfs.replication``.
    block_bytes : int
        ``dfs.blocksize`` [bytes].
    stays : bool
        Whether the data stays there after the job.
    application : str
        What EMR installs beside Hadoop, by its name there; empty for nothing.
    rates : tuple of Rate
    tags : tuple of (str, str)
        Besides the name; cleaned where they are written.
    release : str
        Of EMR.
    """

    name: str
    region: str
    instance: str
    processor: Processor
    nodes: int
    predicted: Predicted
    primary: Primary | None = None
    zones: int = 1
    placement_group: bool = False
    spot: bool = False
    service: Literal["ec2", "emr"] = "ec2"
    local_disks: int = 0
    input_output_disks: int = 0
    intermediate_disks: int = 0
    ephemeral_mapping: bool = False
    volumes: Volumes | None = None
    object_store: bool = False
    ebs_optimized: bool = False
    bursts: bool = False
    replication: int = 1
    block_bytes: int = USUAL_BLOCK_BYTES
    stays: bool = False
    application: str = ""
    rates: tuple[Rate, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    release: str = RELEASE

    @property
    def family(self) -> str:
        """Name the family: ``i2`` of ``i2.8xlarge``."""
        return self.instance.partition(".")[0]

    @property
    def input_output_mounts(self) -> tuple[str, ...]:
        """Name where input and output are mounted on a node of ours; nowhere with an object store."""
        count = self.volumes.count if self.volumes is not None else self.input_output_disks
        return tuple(f"/data/{place}" for place in range(1, count + 1))

    @property
    def intermediate_mounts(self) -> tuple[str, ...]:
        """Name the folders of intermediate data on a node of ours: on disks of their own, else on those of the data."""
        if self.intermediate_disks > 0:
            return tuple(f"/scratch/{place}" for place in range(1, self.intermediate_disks + 1))
        return tuple(f"{mount}/scratch" for mount in self.input_output_mounts) or ("/scratch/1",)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file is not made.

    Parameters
    ----------
    reason : str
        Names what is not possible, and what would be.
    """

    reason: str
