"""EMR: requests that AWS' own model accepts, and refusals of configurations that EMR does not support."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import moto.emr
import pytest

from deployed import SHAPES, ebs, question, shape, texts, written
from deployed import certain as certainly
from documents_checked import faults_of_request, shell_faults
from stowage.documents.deploy.emr import directories, notes, refusal, request, takes
from stowage.workloads.knowledge import packaged_knowledge

REFUSED = {"io2, three zones", "burstable log"}
TAKEN = [name for name in SHAPES if name not in REFUSED]


@pytest.mark.parametrize("name", TAKEN)
def test_aws_own_model_takes_the_request(name: str) -> None:
    assert faults_of_request("emr", "RunJobFlow", json.loads(texts(name)["emr"])) == ""


@pytest.mark.parametrize(
    ("framework", "installed"),
    [
        ("spark", ["Hadoop", "Spark"]),
        ("flink", ["Hadoop", "Flink"]),
        ("hadoop-mapreduce", ["Hadoop"]),
        ("ideal", ["Hadoop"]),
    ],
)
def test_it_installs_what_runs_the_job(framework: str, installed: list[str]) -> None:
    asked = dict(SHAPES["emr on spot"])
    asked["workload"] = {**asked["workload"], "framework": framework}
    files, _ = written(certainly(asked))
    assert [each["Name"] for each in json.loads(files["emr"].text)["Applications"]] == installed


def test_it_takes_the_types_that_emr_lists() -> None:
    """Compare with EMR's ListSupportedInstanceTypes, as moto records it."""
    [path] = Path(moto.emr.__file__).parent.glob("resources/instance-types-emr-7.14.0.json.gz")
    listed = set(json.loads(gzip.decompress(path.read_bytes())))
    known = packaged_knowledge("latest", "us-east-1").catalog.instance_types
    assert [name for name in known if takes(name) != (name in listed)] == []


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (question("t3.xlarge", 2, ebs(), model="infrastructure", workload={"job": "append-log"}), "t3.xlarge"),
        (question("r5d.4xlarge", 2, ebs("io2", 1, iops=3000), model="infrastructure"), "no io2 volumes"),
        (SHAPES["io2, three zones"] | {"cluster": SHAPES["emr on spot"]["cluster"]}, "one availability zone"),
    ],
    ids=["type", "volume", "zones"],
)
def test_what_emr_does_not_take_is_refused_with_words(asked: dict[str, object], words: str) -> None:
    _, refused = written(certainly(asked))
    assert words in refused["emr"].reason


def test_more_volumes_than_emr_takes_are_refused() -> None:
    made = shape("emr on spot")
    assert made.volumes is not None
    refused = refusal(replace(made, volumes=replace(made.volumes, count=26)))
    assert refused is not None
    assert "25 volumes a node" in refused


def test_faster_volumes_than_emr_takes_are_refused() -> None:
    made = shape("emr on spot")
    assert made.volumes is not None
    assert refusal(replace(made, volumes=replace(made.volumes, throughput_mib_per_s=1_000))) is None
    refused = refusal(replace(made, volumes=replace(made.volumes, throughput_mib_per_s=1_001)))
    assert refused is not None
    assert "1,000 MiB/s a volume at most" in refused


def test_what_emr_does_otherwise_with_volumes_is_said() -> None:
    made = shape("emr on spot")
    assert made.volumes is not None
    assert "cannot ask for encrypted volumes" in " ".join(notes(made))
    assert "encrypted" not in " ".join(notes(shape("paper")))
    assert "1,024 GiB as the most" not in " ".join(notes(made))
    assert "1,024 GiB as the most" in " ".join(notes(replace(made, volumes=replace(made.volumes, size_gib=1_025))))


def test_hdfs_and_yarn_are_on_the_disks_of_the_division() -> None:
    settings = {each["Classification"]: each["Properties"] for each in request(shape("paper"))["Configurations"]}
    assert settings["hdfs-site"]["dfs.datanode.data.dir"] == ",".join(
        f"file:///mnt{place}/hdfs" for place in ("", 1, 2, 3)
    )
    assert settings["yarn-site"]["yarn.nodemanager.local-dirs"] == "/mnt4/yarn,/mnt5/yarn,/mnt6/yarn,/mnt7/yarn"


def test_hdfs_keeps_the_copies_and_blocks_of_the_workload() -> None:
    [hdfs] = [each for each in request(shape("hdfs"))["Configurations"] if each["Classification"] == "hdfs-site"]
    assert hdfs["Properties"]["dfs.replication"] == "3"
    assert hdfs["Properties"]["dfs.blocksize"] == str(256 * 1024**2)
    assert request(shape("hdfs"))["Instances"]["InstanceGroups"][0]["InstanceType"] == "m6g.xlarge"


def test_volumes_beside_own_disks_are_told_apart_on_the_node(tmp_path: Path) -> None:
    asked = request(shape("emr on spot"))
    [action] = asked["BootstrapActions"]
    assert shell_faults({"links": "#!/bin/bash\n" + action["ScriptBootstrapAction"]["Args"][1]}, tmp_path) == ""
    assert directories(shape("emr on spot")) == (
        ("/stowage/volume/0/hdfs", "/stowage/volume/1/hdfs", "/stowage/volume/2/hdfs"),
        ("/stowage/local/0/yarn",),
    )


def test_a_cluster_that_stays_is_protected_and_one_that_does_not_ends_idle() -> None:
    stays, goes = request(shape("hdfs that stays on st1")), request(replace(shape("paper"), stays=False))
    assert stays["Instances"]["TerminationProtected"]
    assert "AutoTerminationPolicy" not in stays
    assert goes["AutoTerminationPolicy"] == {"IdleTimeout": 3_600}
