"""TestDFSIO on EMR: the requested cluster, and the step on it; EMR itself is simulated."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from aws_account import EXTERNAL_ID, KEY, Simulated, connected_account, connection, run_of
from laboratory.account import ACCOUNT, BUCKET, REGION
from quoted import approved, connected, external_id_of, read
from reported import ended, launched
from stowage.features.benchmarks import reaping
from stowage.features.benchmarks.running import Outside
from stowage.features.benchmarks.stored_runs import run_of as stored_run
from stowage.platform.database.database import Database
from stowage.platform.jobs.queue import Queue
from stowage.runs.actions import LaunchEmr, Prepare, TerminateEmr
from stowage.runs.observation import CloudError
from stowage.runs.orders import node_key
from stowage.runs.pace import Pace
from stowage.runs.report import Report, read_report
from stowage.runs.run import Run
from stowage.runs.spec import DfsioPlan, RunSpec, Volumes
from stowage_worker.aws.clouds import AwsCloud, AwsClouds

SPEC = RunSpec(
    "testdfsio",
    "m5.xlarge",
    4,
    REGION,
    storage=Volumes("gp3", 500, iops=6000, throughput_mib_per_s=300, count=2),
    dfsio=DfsioPlan(files_per_node=8, file_mb=512),
)
RESULT = """----- TestDFSIO ----- : write
            Date & time: Sat Nov 21 08:11:03 UTC 2026
        Number of files: 32
 Total MBytes processed: 16384
      Throughput mb/sec: 61.21
Average IO rate mb/sec: 63.8
 IO rate std deviation: 11.2
    Test exec time sec: 41.9

"""


@pytest.fixture(scope="module")
def aws() -> Iterator[Simulated]:
    with connected_account() as simulated:
        yield simulated


@pytest.fixture(scope="module")
def cloud(aws: Simulated) -> AwsCloud:
    assert aws.between.address
    return AwsClouds().of(connection(), REGION)


def action() -> LaunchEmr:
    return LaunchEmr(datetime.now(UTC).replace(microsecond=0) + timedelta(hours=2))


def asked(aws: Simulated, run: Run) -> dict[str, object]:
    calls = [call for _, call, _ in aws.between.calls if call.action.endswith(":RunJobFlow")]
    return next(json.loads(call.body) for call in calls if str(run.id) in call.body.decode())


def test_a_cluster_is_started_once_seen_and_ended(aws: Simulated, cloud: AwsCloud) -> None:
    run = run_of(SPEC)
    [made] = cloud.do(run, action(), KEY)
    assert made.kind == "emr-cluster"
    assert [each.id for each in cloud.do(run, action(), KEY)] == [made.id]
    assert set(cloud.look(run).emr_clusters) == {made.id}
    left = [each for each in cloud.left_behind() if each.run_id == run.id]
    assert [(each.kind, each.id) for each in left] == [("emr-cluster", made.id), ("objects", f"stowage/{run.id}/")]
    assert [each for each in AwsClouds().of(connection(), REGION).left_behind() if each.kind == "emr-cluster"] == []
    cloud.do(run, TerminateEmr((made.id,)), KEY)
    assert cloud.look(run).emr_clusters == {}
    assert aws.enforced.refused == []


def test_a_cluster_whose_answer_is_lost_is_not_asked_for_again_at_once(aws: Simulated, cloud: AwsCloud) -> None:
    run = run_of(SPEC)
    lost = aws.between.fail("*:RunJobFlow", "lose", times=None)
    with pytest.raises(CloudError) as caught:
        cloud.do(run, action(), KEY)
    aws.between.heal()
    assert (caught.value.kind, lost.met) == ("unreachable", 1)
    assert len(cloud.do(run, action(), KEY)) == 1


def test_a_cluster_ends_itself_and_holds_what_was_agreed(aws: Simulated, cloud: AwsCloud) -> None:
    run = replace(run_of(SPEC), zones=(f"{REGION}b", f"{REGION}c"))
    cloud.do(run, action(), KEY)
    request = asked(aws, run)
    instances = request["Instances"]
    assert isinstance(instances, dict)
    assert instances["KeepJobFlowAliveWhenNoSteps"] is False
    assert instances["TerminationProtected"] is False
    [subnet] = aws.account.ec2.describe_subnets(SubnetIds=[instances["Ec2SubnetId"]])["Subnets"]
    assert subnet["AvailabilityZone"] == run.zone
    groups = instances["InstanceGroups"]
    assert sum(each["InstanceCount"] for each in groups) == run.spec.nodes
    assert groups[1]["EbsConfiguration"]["EbsBlockDeviceConfigs"] == [
        {
            "VolumeSpecification": {"VolumeType": "gp3", "SizeInGB": 500, "Iops": 6000, "Throughput": 300},
            "VolumesPerInstance": 2,
        }
    ]
    tags = request["Tags"]
    assert isinstance(tags, list)
    assert {"stowage-run", "stowage-connection", "stowage-deadline"} <= {each["Key"] for each in tags}
    assert KEY.hex() not in json.dumps(request)


def test_a_role_that_may_not_list_clusters_keeps_nothing_else_from_the_sweep_and_is_not_believed_of_a_run(
    aws: Simulated, cloud: AwsCloud
) -> None:
    run = run_of(SPEC)
    cloud.do(run, Prepare(), KEY)
    aws.between.fail("*:ListClusters", "deny", times=None)
    try:
        assert {each.kind for each in cloud.left_behind() if each.run_id == run.id} == {"security-group", "objects"}
        with pytest.raises(CloudError) as caught:
            cloud.look(run)
    finally:
        aws.between.heal()
    assert caught.value.kind == "denied"


@pytest.mark.soak("aws")
def test_a_run_stays_in_doubt_while_its_clusters_may_not_be_listed(
    aws: Simulated, database: Database, queue: Queue, org_id: UUID
) -> None:
    account_id = connected(database, org_id, bucket=BUCKET, account=ACCOUNT)
    aws.enforced.trust(external_id_of(account_id))
    before, aws.between.external_id = aws.between.external_id, external_id_of(account_id)
    run_id = approved(database, org_id, account_id, spec=SPEC)
    launched(database, org_id, run_id, SPEC.nodes)
    ended(database, org_id, run_id, state="failed", outcome="failed", verified=False)
    later = datetime.now(UTC) + 2 * reaping.PATIENCE
    outside = Outside(database, queue, AwsClouds(), Pace(), lambda: later)
    aws.between.fail("*:ListClusters", "deny", times=None)
    try:
        reaping.reap(outside, org_id, account_id)
        in_doubt = not stored_run(read(database, org_id, run_id)).verified
        aws.between.heal()
        reaping.reap(outside, org_id, account_id)
    finally:
        aws.between.heal()
        aws.between.external_id = before
        aws.enforced.trust(EXTERNAL_ID)
    assert in_doubt
    assert stored_run(read(database, org_id, run_id)).verified


def test_another_step_than_ours_is_not_run(aws: Simulated, cloud: AwsCloud, tmp_path: Path) -> None:
    run = run_of(SPEC)
    cloud.do(run, action(), KEY)
    steps = asked(aws, run)["Steps"]
    assert isinstance(steps, list)
    command = steps[0]["HadoopJarStep"]["Args"]
    fetched = tmp_path / "fetched"
    (tmp_path / "aws").write_text(f'#!/bin/bash\ncp {fetched} "$4"\n')
    (tmp_path / "aws").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    fetched.write_text("echo TAKEN\n")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "TAKEN" not in done.stdout


@pytest.mark.parametrize("ended", [0, 3])
def test_a_step_posts_a_report_that_is_believed(cloud: AwsCloud, tmp_path: Path, ended: int) -> None:
    run = run_of(SPEC)
    cloud.do(run, action(), KEY)
    script = cloud.fetch(run, "emr/step.sh", 100_000)
    commands, posted = tmp_path / "bin", tmp_path / "posted"
    commands.mkdir()
    (commands / "hadoop").write_text(
        f'#!/bin/bash\necho "hadoop $*" >{tmp_path}/asked\n'
        f"if [ {ended} = 0 ]; then cat {tmp_path}/result >>${{*: -1}}; fi\nexit {ended}\n"
    )
    (commands / "aws").write_text(f'#!/bin/bash\ncp "$3" {posted}; echo "$4" >{tmp_path}/where\n')
    (tmp_path / "result").write_text(RESULT)
    for each in commands.iterdir():
        each.chmod(0o755)
    environment = {"PATH": f"{commands}:/usr/local/bin:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    done = subprocess.run(["/bin/bash", "-s", "write"], input=script, env=environment, capture_output=True, check=False)
    assert done.returncode == ended
    report = read_report(posted.read_bytes(), node_key(KEY, 0), run.id, 0, "testdfsio-write")
    assert isinstance(report, Report)
    assert report.status == ("ok" if ended == 0 else "failed")
    assert (tmp_path / "where").read_text().strip() == (
        f"s3://{BUCKET}/stowage/{run.id}/nodes/0000/testdfsio-write.json"
    )
    assert "-nrFiles 32 -size 512MB" in (tmp_path / "asked").read_text()
    if ended == 0:
        assert report.document["text"] == RESULT
