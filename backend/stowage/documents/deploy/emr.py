"""EMR: the RunJobFlow request, with HDFS and YARN on the disks that the prediction assumes."""

import json
from itertools import chain
from typing import Any

from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.heading import tags_of
from stowage.documents.deploy.kinds import KINDS
from stowage.documents.deploy.quoting import tag_value
from stowage.model.hardware.volume_limits import VOLUME_KINDS

_FAMILIES = """
    c1 c3 c4 c5 c5a c5ad c5d c5n c6a c6g c6gd c6gn c6i c6id c6in c7a c7g c7gd c7gn c7i c7i-flex c8g c8gd c8gn c8i
    c8i-flex d2 d3 d3en f2 g3 g3s g4dn g5 g6 g6e g7 gr6 h1 i2 i3 i3en i4g i4i i7i i7ie i8g im4gn is4gen m1 m2 m3
    m4 m5 m5a m5ad m5d m5dn m5n m5zn m6a m6g m6gd m6i m6id m6idn m6in m7a m7g m7gd m7i m7i-flex m8a m8g m8gd m8i
    m8i-flex p2 p3 p4d p5 r3 r4 r5 r5a r5ad r5b r5d r5dn r5n r6a r6g r6gd r6i r6id r6idn r6in r7a r7g r7gd r7i
    r7iz r8a r8g r8gb r8gd r8gn r8i r8i-flex x1 x1e x2gd x2idn x2iedn x8g z1d
"""
FAMILIES = frozenset(_FAMILIES.split())
"""Families that EMR supports, in all sizes from xlarge on: ListSupportedInstanceTypes for emr-7.14.0, as recorded in
moto 5.2.5."""

_SMALL = frozenset({"c1.medium", "c4.large", "m1.large", "m1.medium", "m1.small", "m4.large"})
_LEFT_OUT = frozenset({"p5.4xlarge", "r8gb.48xlarge"})
"""Exceptions from that rule: smaller sizes on the list, and larger sizes that are not."""

VOLUME_TYPES = tuple(name for name, kind in VOLUME_KINDS.items() if kind.on_emr)

MOST_VOLUMES = 25
"""Most volumes of a node (EMR management guide, "Instance storage", 2026-11-20)."""

MOST_MIB_PER_S = 1_000
LARGEST_TOLD_GIB = 1_024
"""Largest documented size of a volume: EMR API reference, VolumeSpecification, as in botocore 1.44."""

ROOT_GIB = 32
_IDLE_S = 3_600
_MANAGED = {"Key": "for-use-with-amazon-emr-managed-policies", "Value": "true"}
"""EMR's managed policies apply to resources with this tag (EMR management guide, "Service role for Amazon EMR")."""

_LINKS = f"""\
set -e
{KINDS}
sudo mkdir -p /stowage/local /stowage/volume
for mount in /mnt /mnt[0-9] /mnt[0-9][0-9]; do
  if ! mountpoint -q "$mount"; then continue; fi
  device=$(findmnt -nvo SOURCE --target "$mount")
  disk=$(lsblk -ndo PKNAME "$device")
  role=$(kind "${{disk:-${{device##*/}}}}")
  links=("/stowage/$role"/*)
  count=${{#links[@]}}
  if [ ! -L "${{links[0]}}" ]; then count=0; fi
  sudo ln -sfn "$mount" "/stowage/$role/$count"
done
"""


def refusal(deployment: Deployment) -> str | None:
    """Return the reason why EMR does not support a configuration; None if EMR supports it."""
    for instance in deployment.instances:
        if not takes(instance):
            return (
                f"EMR {deployment.release.removeprefix('emr-')} does not take {instance}; "
                f"`aws emr list-supported-instance-types --release-label {deployment.release}` lists what it takes"
            )
    volumes = deployment.volumes
    if volumes is not None and volumes.volume_type not in VOLUME_TYPES:
        return f"EMR takes no {volumes.volume_type} volumes; it takes {', '.join(VOLUME_TYPES)}"
    if volumes is not None and volumes.count > MOST_VOLUMES:
        return f"EMR takes {MOST_VOLUMES} volumes a node, and these are {volumes.count}"
    if volumes is not None and (volumes.throughput_mib_per_s or 0) > MOST_MIB_PER_S:
        asked = f"{volumes.throughput_mib_per_s:,} MiB/s"
        return f"EMR takes {MOST_MIB_PER_S:,} MiB/s a volume at most, and these are to have {asked}"
    if deployment.zones > 1:
        return f"EMR keeps a cluster in one availability zone, and this one is spread over {deployment.zones}"
    return None


def takes(instance: str) -> bool:
    """Return whether EMR supports an instance type.

    Examples
    --------
    >>> [takes(name) for name in ("i4i.4xlarge", "i4i.large", "t3.xlarge", "m4.large", "c5.metal")]
    [True, False, False, True, False]
    """
    family, _, size = instance.partition(".")
    if instance in _SMALL:
        return True
    return family in FAMILIES and size.endswith("xlarge") and "metal" not in size and instance not in _LEFT_OUT


def notes(deployment: Deployment) -> tuple[str, ...]:
    """Return the differences between the EMR cluster and what the prediction assumes."""
    said = ["EMR's file has no comment, since JSON knows none: what it builds stands in the other files."]
    if deployment.service == "ec2":
        said.append("EMR's fee and its primary node are not in the predicted cost; place.service: emr counts them.")
    if deployment.placement_group:
        said.append(
            "EMR puts no core nodes into a cluster placement group by such a request; the prediction counts on one."
        )
    volumes = deployment.volumes
    if volumes is not None:
        said.append("EMR's request cannot ask for encrypted volumes: a security configuration or the account does.")
        if volumes.size_gib > LARGEST_TOLD_GIB:
            said.append(
                f"EMR's reference names {LARGEST_TOLD_GIB:,} GiB as the most of a volume, and these have "
                f"{volumes.size_gib:,}. Not tried."
            )
    if _needs_links(deployment):
        said.append(
            "A bootstrap action tells the instance's own disks from volumes by their model or the metadata service, "
            "and links them below /stowage, since which of /mnt, /mnt1 ... is which is documented nowhere. Not tried."
        )
    unused = deployment.local_disks - deployment.input_output_disks - deployment.intermediate_disks
    if unused > 0 and not deployment.object_store:
        said.append(f"EMR formats and mounts all disks; {unused} of them are given to neither HDFS nor YARN.")
    said.append("Roles: EMR_DefaultRole and EMR_EC2_DefaultRole (aws emr create-default-roles makes them).")
    return tuple(said)


def request(deployment: Deployment) -> dict[str, Any]:
    """Build the RunJobFlow request.

    Parameters
    ----------
    deployment : Deployment
        A configuration that `refusal` accepts.
    """
    tags = [{"Key": key, "Value": value} for key, value in tags_of(deployment)]
    instances: dict[str, Any] = {
        "InstanceGroups": [_primary(deployment), _core(deployment)],
        "KeepJobFlowAliveWhenNoSteps": True,
        "TerminationProtected": deployment.stays,
    }
    asked: dict[str, Any] = {
        "Name": tag_value(deployment.name) or "stowage",
        "ReleaseLabel": deployment.release,
        "Applications": [{"Name": name} for name in ("Hadoop", deployment.application) if name],
        "ServiceRole": "EMR_DefaultRole",
        "JobFlowRole": "EMR_EC2_DefaultRole",
        "VisibleToAllUsers": True,
        "EbsRootVolumeSize": ROOT_GIB,
        "ScaleDownBehavior": "TERMINATE_AT_TASK_COMPLETION",
        "Instances": instances,
        "Configurations": _configurations(deployment),
        "Tags": [*tags, _MANAGED],
    }
    if not deployment.stays:
        # An idle cluster costs money: end it after the job.
        asked["AutoTerminationPolicy"] = {"IdleTimeout": _IDLE_S}
    if _needs_links(deployment):
        arguments = {"Path": "file:/bin/bash", "Args": ["-c", _LINKS]}
        asked["BootstrapActions"] = [{"Name": "disks by their role", "ScriptBootstrapAction": arguments}]
    return asked


def job_flow(deployment: Deployment) -> str:
    """Return the request as JSON for ``aws emr run-job-flow --cli-input-json``."""
    return json.dumps(request(deployment), indent=2, ensure_ascii=False) + "\n"


def _primary(deployment: Deployment) -> dict[str, Any]:
    primary = deployment.primary
    return {
        "Name": "primary",
        "InstanceRole": "MASTER",
        "InstanceType": deployment.instance if primary is None else primary.instance,
        "InstanceCount": 1,
        # The cluster ends if its primary is interrupted, so the primary never runs on spot.
        "Market": "ON_DEMAND",
    }


def _core(deployment: Deployment) -> dict[str, Any]:
    group: dict[str, Any] = {
        "Name": "core",
        "InstanceRole": "CORE",
        "InstanceType": deployment.instance,
        "InstanceCount": deployment.nodes,
        # Without BidPrice, the maximum price is the on-demand price.
        "Market": "SPOT" if deployment.spot else "ON_DEMAND",
    }
    volumes = deployment.volumes
    if volumes is not None:
        volume: dict[str, Any] = {"VolumeType": volumes.volume_type, "SizeInGB": volumes.size_gib}
        volume |= {} if volumes.iops is None else {"Iops": volumes.iops}
        volume |= {} if volumes.throughput_mib_per_s is None else {"Throughput": volumes.throughput_mib_per_s}
        group["EbsConfiguration"] = {
            "EbsBlockDeviceConfigs": [{"VolumeSpecification": volume, "VolumesPerInstance": volumes.count}]
        }
        if deployment.ebs_optimized:
            group["EbsConfiguration"]["EbsOptimized"] = True
    return group


def _needs_links(deployment: Deployment) -> bool:
    """Return whether a node has both instance-store disks and EBS volumes, whose mount order EMR does not document."""
    return deployment.volumes is not None and deployment.local_disks > 0


def directories(deployment: Deployment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the directories of HDFS' blocks and of YARN's intermediate data on an EMR node."""
    if deployment.volumes is not None and _needs_links(deployment):
        outer = tuple(f"/stowage/volume/{place}" for place in range(deployment.volumes.count))
        inner = tuple(f"/stowage/local/{place}" for place in range(deployment.intermediate_disks))
    elif deployment.volumes is not None:
        outer, inner = _mounts(deployment.volumes.count), ()
    elif deployment.object_store:
        # HDFS then holds only what jobs stage there.
        inner = _mounts(max(1, deployment.intermediate_disks))
        outer = inner
    else:
        every = _mounts(deployment.input_output_disks + deployment.intermediate_disks)
        outer, inner = every[: deployment.input_output_disks], every[deployment.input_output_disks :]
    return tuple(f"{mount}/hdfs" for mount in outer), tuple(f"{mount}/yarn" for mount in inner or outer)


def _mounts(count: int) -> tuple[str, ...]:
    return tuple(chain(("/mnt",), (f"/mnt{place}" for place in range(1, count))))


def _configurations(deployment: Deployment) -> list[dict[str, Any]]:
    blocks, scratch = directories(deployment)
    mapred = [f"{folder.removesuffix('/yarn')}/mapred" for folder in scratch]
    return [
        {
            "Classification": "hdfs-site",
            "Properties": {
                "dfs.replication": str(deployment.replication),
                "dfs.blocksize": str(deployment.block_bytes),
                "dfs.datanode.data.dir": ",".join(f"file://{folder}" for folder in blocks),
            },
        },
        {"Classification": "yarn-site", "Properties": {"yarn.nodemanager.local-dirs": ",".join(scratch)}},
        {"Classification": "mapred-site", "Properties": {"mapreduce.cluster.local.dir": ",".join(mapred)}},
    ]
