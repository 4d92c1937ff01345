"""fio job files: they check after the launch whether the disks reach the rates that the prediction assumes."""

from stowage.documents.deploy.deployment import Deployment, Rate, Role
from stowage.documents.deploy.heading import folded, head

_FILE_GIB = 8
_SECONDS = 60
_RAMP_S = 5


def refusal(deployment: Deployment, role: Role) -> str | None:
    """Return the reason why no disks of a role can be checked; None if its disks can be checked."""
    if role == "input-output" and deployment.object_store:
        return "input and output are in S3, which fio does not measure; a first run of the job does"
    if role == "intermediate" and deployment.intermediate_disks == 0:
        if deployment.object_store:
            return "intermediate data has no disks of its own: it is on the root volume"
        return "intermediate data shares the disks of input and output: fio-input-output checks them"
    return None


def job_file(deployment: Deployment, role: Role) -> str:
    """Return the fio job file for all disks of a role: jobs for sequential writes, sequential reads and random reads.

    Parameters
    ----------
    deployment : Deployment
    role : {"input-output", "intermediate"}
        A role that `refusal` accepts.
    """
    mounts = deployment.input_output_mounts if role == "input-output" else deployment.intermediate_mounts
    rates = [rate for rate in deployment.rates if rate.role == role]
    parts = [_head(deployment, role, rates), _global(len(mounts))]
    parts += [
        _job(mounts, "write", "1M", 32, rates),
        _job(mounts, "read", "1M", 32, rates),
    ]
    parts.append(_job(mounts, "randread", "16k", 64, rates))
    return "\n".join(parts)


def _head(deployment: Deployment, role: Role, rates: list[Rate]) -> str:
    expected = [f"Expected of a node, {rate.words}. Source: {rate.source}" for rate in rates]
    if not expected:
        expected = ["Expected: nothing is known of these disks; what fio says is worth uploading (stowage measure)."]
    how = (
        *folded(tuple(expected)),
        "",
        # Fedora, and so Amazon Linux, packages the engine separately; strict=0 skips it where fio includes it.
        "On a node: sudo dnf install -y --setopt=strict=0 fio fio-engine-libaio",
        "           sudo fio --output-format=json --output=result.json FILE",
        "What fio says of a job is what all these disks of the node reach; `stowage measure result.json` reads it.",
        "It writes files of its own below the mounts, which it takes away again; what else is there stays.",
        "New disks of an instance are slower where they were never written: that is why writing comes first.",
    )
    title = "fio, disks of input and output" if role == "input-output" else "fio, disks of intermediate data"
    return head(deployment, title, how, ("a node of this kind. In Stowage's tests fio parses such files.",))


def _global(files: int) -> str:
    return f"""\
[global]
ioengine=libaio
direct=1
time_based=1
runtime={_SECONDS}
ramp_time={_RAMP_S}
filesize={_FILE_GIB}g
nrfiles={files}
file_service_type=roundrobin
"""


def _job(mounts: tuple[str, ...], way: str, block: str, depth: int, rates: list[Rate]) -> str:
    """Return a fio job for one file on each disk, with a queue depth that keeps all disks busy."""
    unit, jobs = ("IOPS", 4) if way.startswith("rand") else ("MB/s", 1)
    expected = [f"# expected: {rate.words}" for rate in rates if rate.unit == unit and way.endswith(rate.way)]
    files = ":".join(f"{mount}/stowage-check" for mount in mounts)
    lines = [
        *dict.fromkeys(expected),
        f"[{way}]",
        f"rw={way}",
        f"bs={block}",
        f"iodepth={depth * len(mounts) // jobs}",
        f"filename={files}",
        # Starts after the previous job ends.
        "stonewall",
        # One process cannot issue enough small I/Os to saturate NVMe disks.
        *((f"numjobs={jobs}", "group_reporting=1") if jobs > 1 else ()),
    ]
    if way == "randread":
        lines.append("unlink=1")
    return "\n".join(lines) + "\n"
