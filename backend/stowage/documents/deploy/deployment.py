"""Deployment: a configuration with everything that its deployment files need."""

from typing import Literal

from stowage.frozen import frozen
from stowage.model.cluster import Ebs

Processor = Literal["arm64", "x86_64"]
Role = Literal["input-output", "intermediate"]

USUAL_BLOCK_BYTES = 134_217_728
"""Default block size of HDFS (hdfs-default.xml: 128 MiB)."""

_IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-{processor}"
"""Public parameters of AWS (Amazon Linux 2023 user guide, "Launching AL2023 using the SSM parameter", 2026-11-20)."""

RELEASE = "emr-7.14.0"
"""Newest release of EMR whose instance types are known here."""


@frozen
class Rate:
    """Expected total rate of a node's disks or volumes of one role."""

    role: Role
    way: Literal["read", "write"]
    """Direction of the accesses; only one direction is used at a time. A figure for both directions has `read`."""
    value: float
    """[MB/s] or [IOPS], by `unit`."""
    unit: Literal["MB/s", "IOPS"]
    words: str
    """The value in words, with its meaning, such as a bound or a measured mean."""
    source: str
    """Document and date."""


@frozen
class Predicted:
    """Prediction for the configuration, in words, for the header of each file."""

    time: str
    """With the range, as in `16 min 50 s (14–19 min)`."""
    cost: str
    """With the range, as for `time`."""
    sentence: str
    """The prediction as a sentence."""
    basis: str
    """Versions of model, catalog and profiles."""


@frozen
class Primary:
    """Head node, which holds no data: HDFS' NameNode, EMR's primary."""

    instance: str
    processor: Processor


@frozen
class Deployment:
    """A configuration to deploy."""

    name: str
    """Name that a user gave it; any text."""
    region: str
    instance: str
    processor: Processor
    nodes: int
    """Nodes that hold data, including spares; at least 1."""
    predicted: Predicted
    primary: Primary | None = None
    """None if the predicted cluster has no head node."""
    zones: int = 1
    """Availability zones that the nodes are spread over."""
    placement_group: bool = False
    """Whether the nodes are in a cluster placement group; only within one zone."""
    spot: bool = False
    service: Literal["ec2", "emr"] = "ec2"
    """Service that the prediction is for."""
    local_disks: int = 0
    """Instance-store disks of the type."""
    input_output_disks: int = 0
    """Number of instance-store disks for input and output. Disks without a role stay unused."""
    intermediate_disks: int = 0
    """Number of instance-store disks for intermediate data. If it is 0, intermediate data shares the disks of input and
    output."""
    ephemeral_mapping: bool = False
    """Whether the disks are attached only if the launch requests them, as for instance types older than NVMe."""
    volumes: Ebs | None = None
    """Volumes of a node, for input and output."""
    object_store: bool = False
    """Whether input and output are in S3."""
    ebs_optimized: bool = False
    """Whether the link to EBS has to be requested (and paid for)."""
    bursts: bool = False
    """Whether the type's CPUs use burst credits."""
    replication: int = 1
    """`dfs.replication`."""
    block_bytes: int = USUAL_BLOCK_BYTES
    """`dfs.blocksize` [bytes]."""
    stays: bool = False
    """Whether the data stays on the cluster after the job; EBS volumes then outlive their nodes."""
    application: str = ""
    """EMR application that is installed in addition to Hadoop; empty for none."""
    rates: tuple[Rate, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    """Tags besides the name; sanitized where they are written."""
    release: str = RELEASE
    """Release of EMR."""

    def instance_of(self, *, primary: bool) -> str:
        """Return the instance type of the nodes, or of the primary."""
        return self.primary.instance if primary and self.primary is not None else self.instance

    @property
    def instances(self) -> tuple[str, ...]:
        """Instance types of the nodes and, if there is one, of the primary."""
        return (self.instance,) if self.primary is None else (self.instance, self.primary.instance)

    @property
    def images(self) -> dict[str, str]:
        """Public SSM parameter with the machine image, by use: ``node`` and, if there is a primary, ``primary``."""
        processors = {"node": self.processor}
        if self.primary is not None:
            processors["primary"] = self.primary.processor
        return {use: _IMAGE.format(processor=processor) for use, processor in processors.items()}

    @property
    def input_output_mounts(self) -> tuple[str, ...]:
        """Mount points of the disks or volumes for input and output on an EC2 node; empty with an object store."""
        count = self.volumes.count if self.volumes is not None else self.input_output_disks
        return tuple(f"/data/{place}" for place in range(1, count + 1))

    @property
    def intermediate_mounts(self) -> tuple[str, ...]:
        """Directories of intermediate data on an EC2 node: on disks of their own, if any, else on those for input."""
        if self.intermediate_disks > 0:
            return tuple(f"/scratch/{place}" for place in range(1, self.intermediate_disks + 1))
        return tuple(f"{mount}/scratch" for mount in self.input_output_mounts) or ("/scratch/1",)
