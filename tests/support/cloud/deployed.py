"""Configurations for deployment tests: chosen ones of every shape, and any number of random ones."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.files import DeploymentFile, DeploymentRefusal, files
from stowage.features.planning.deployment.deployments import deployment_of
from stowage.features.planning.planning import predict_cluster
from stowage.platform.errors import BadInput
from stowage.workloads.answers import PredictionAnswer
from stowage.workloads.knowledge import packaged_knowledge
from stowage.workloads.workload_file import parse_workload

Question = dict[str, Any]

HOSTILE = (
    "quotes \" ' ` and \\ backslash \\",
    "${aws_instance.x} %{ for x in y } ${AWS::Region} !Sub !Ref {{resolve:ssm:x}}",
    "line\nbreaks\r\nand\ttabs\x00\x07\x85\u2028\u2029\"\"\"\n'''\nEND_OF_SCRIPT\nEOF\n",
    "=1+1 +2 -3 @SUM(1) |x",
    "right\u202eto\u202cleft \u2066x\u2069 zero\u200bwidth\u200d \ufeff",
    "*/ --> ]]> <script>alert(1)</script> # // ; $(reboot) `reboot` \ud800",
    "Übertragung 数据 \U0001f600 é e\u0301",
    "x" * 10_000,
    "aws:reserved",
    " ",
    "",
)


def question(
    instance: str, nodes: int, storage: Mapping[str, Any] | None = None, *, model: str = "none", **besides: Any
) -> Question:
    """Return a workload file with its cluster; the data is small, so that it fits on any type."""
    workload: Question = {"data": "10 GB", "durability": {"model": model}, **besides.pop("workload", {})}
    cluster = {"instance": instance, "nodes": nodes, **({} if storage is None else {"storage": dict(storage)})}
    return {"workload": workload, "cluster": cluster | besides.pop("cluster", {}), **besides}


def ebs(kind: str = "gp3", count: int = 2, size: str = "500 GiB", **provisioned: int) -> Question:
    return {"kind": "ebs", "type": kind, "size": size, "count": count, **provisioned}


def divided(outer: int, inner: int) -> Question:
    return {"kind": "instance-store", "input_output_disks": outer, "intermediate_disks": inner}


_HDFS = {"job": "hdfs-write", "replication": 3, "block_size": "256 MiB"}

SHAPES: Mapping[str, Question] = {
    "paper": question("i2.8xlarge", 178, divided(4, 4), place={"catalog": "paper-2014"}),
    "arm": question("i4g.4xlarge", 6, place={"placement_group": False}),
    "nvme divided": question("i3en.12xlarge", 12, divided(3, 1), model="application"),
    "hdfs": question("d3en.4xlarge", 10, workload=_HDFS, place={"primary": "m6g.xlarge"}),
    "emr on spot": question(
        "i4i.4xlarge", 5, ebs("gp3", 3, iops=6000, throughput_mib_per_s=500), model="infrastructure",
        place={"service": "emr", "purchase": "spot"},
    ),
    "hdfs that stays on st1": question(
        "m5.4xlarge", 8, ebs("st1", 4, "2000 GiB"), model="infrastructure", workload={"job": "hdfs-write"}
    ),
    "object store": question("m5d.4xlarge", 7, {"kind": "object-store"}, model="object-store"),
    "io2, three zones": question(
        "r5d.4xlarge", 7, ebs("io2", 2, iops=20_000), model="infrastructure",
        place={"zones": 3, "placement_group": False},
    ),
    "before nitro": question("d2.4xlarge", 3, divided(8, 4), place={"purchase": "1-year"}),
    "optimized link": question(
        "c3.4xlarge", 3, ebs("gp2", 2, "100 GiB"), model="infrastructure",
        measured={
            "network_mb_per_s": 240, "storage_mb_per_s": 300, "ebs_read_mb_per_s": 120, "ebs_write_mb_per_s": 120,
        },
    ),
    "burstable log": question(
        "t3.xlarge", 1, ebs("gp3", 1, "100 GiB"), model="infrastructure", workload={"job": "append-log"}
    ),
    "no image": question("m1.xlarge", 4, divided(2, 2)),
}  # fmt: skip
"""One of each shape: divisions of disks, volumes, processors, purchase options, zones, services."""


def deployment(asked: Question, name: str = "Nightly sort") -> Deployment | None:
    """Convert a question to a deployment; return None if the cluster cannot do the job."""
    file = parse_workload(asked)
    found = predict_cluster(file, packaged_knowledge)
    if not isinstance(found, PredictionAnswer):
        return None
    knowledge = packaged_knowledge(file.place.catalog, file.place.region)
    return deployment_of(name, file, found, knowledge)[0]


def certain(asked: Question, name: str = "Nightly sort") -> Deployment:
    """Convert a question to a deployment."""
    found = deployment(asked, name)
    assert found is not None, asked
    return found


@cache
def shape(name: str) -> Deployment:
    """Return the deployment of a chosen shape."""
    return certain(SHAPES[name])


@cache
def texts(name: str) -> Mapping[str, str]:
    """Return the files of a chosen shape by their format."""
    return {name: file.text for name, file in written(shape(name))[0].items()}


def written(made: Deployment) -> tuple[dict[str, DeploymentFile], dict[str, DeploymentRefusal]]:
    """Return the files of a deployment by their format, and the formats that are refused."""
    there, refused = files(made)
    return {each.format: each for each in there}, {each.format: each for each in refused}


def random_question(random: Random) -> Question:
    """Build a random question; some cannot be answered."""
    catalog = packaged_knowledge("latest", "us-east-1").catalog
    # Most types have no disks; half of these questions need some.
    names = sorted(catalog.instance_types)
    if random.random() < 0.5:
        names = [name for name in names if catalog.instance_types[name].disk_count.value]
    instance = catalog.instance_types[random.choice(names)]
    disks = int(instance.disk_count.value)
    model = random.choice(["none", "application", "infrastructure", "object-store"] if disks else ["infrastructure"])
    workload: Question = {"data": random.choice(["10 GB", "100 GB"])}
    if not disks:
        # Without disks, only jobs without intermediate data are possible.
        workload |= {"job": random.choice(["hdfs-write", "append-log", "random-io"])}
    elif model != "object-store" and random.random() < 0.3:
        workload |= {"job": "hdfs-write", "block_size": random.choice(["64 MiB", "1 GB", "100 kB"])}
    zones = random.choice([1, 1, 1, 2, 3])
    return question(
        instance.name,
        random.choice([1, 2, 3, 10, 11, 24, 130]),
        _random_storage(random, model, disks, job=workload.get("job", "sort")),
        model=model,
        workload=workload,
        place={
            "zones": zones,
            "placement_group": zones == 1 and random.random() < 0.7,
            "purchase": random.choice(["on-demand", "on-demand", "spot", "1-year", "3-year"]),
            "service": random.choice(["ec2", "ec2", "emr"]),
        },
        cluster={"spares": random.choice([0, 0, 2])},
    )


def _random_storage(random: Random, model: str, disks: int, job: str) -> Question:
    if model == "object-store":
        return {"kind": "object-store"}
    if model == "infrastructure":
        kind = random.choice(["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"])
        provisioned = {"iops": 3_000} if kind in {"io1", "io2"} else {}
        if kind == "gp3" and random.random() < 0.5:
            provisioned = {"iops": 8_000, "throughput_mib_per_s": 600}
        return ebs(kind, random.choice([1, 2, 5, 12, 20, 26]), "500 GiB", **provisioned)
    if disks == 1 or job == "hdfs-write":
        return divided(disks, 0)
    outer = random.randint(1, disks - 1)
    return divided(outer, disks - outer)


def random_deployments(count: int, seed: int = 10) -> list[tuple[Question, Deployment]]:
    """Build a number of random deployments."""
    random, found = Random(seed), list[tuple[Question, Deployment]]()  # noqa: S311 - no secret
    names = Random(seed + 1)  # noqa: S311 - the same
    while len(found) < count:
        asked = random_question(random)
        try:
            made = deployment(asked, names.choice([*HOSTILE, "Nightly sort, 100 TB"]))
        except BadInput:
            continue
        if made is not None:
            found.append((asked, made))
    return found
