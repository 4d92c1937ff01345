"""TestDFSIO as steps of an EMR cluster that terminates itself; not yet tried on AWS."""

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime
from math import ceil
from shlex import quote
from typing import Any

from stowage.runs.actions import LaunchEmr
from stowage.runs.mailbox import report_key
from stowage.runs.orders import DFSIO_PHASES, node_key
from stowage.runs.quote import EMR_ROOT_GIB
from stowage.runs.run import Resource, Run
from stowage.runs.spec import Volumes
from stowage_worker.aws.account import Account
from stowage_worker.aws.mailbox import put
from stowage_worker.aws.network import subnet_in
from stowage_worker.aws.session import DENIED
from stowage_worker.aws.tags import CONNECTION, RUN, read, tags

RELEASE = "emr-7.9.0"
OPEN = ("STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING", "TERMINATING")
MANAGED = {"Key": "for-use-with-amazon-emr-managed-policies", "Value": "true"}
"""Tag that EMR's managed policies require on resources (EMR management guide, "Service role for Amazon EMR",
2026-11-20)."""

_STEP = "emr/step.sh"

_TIMERS = """#!/bin/bash
# A node of a benchmark run of Stowage on EMR ends itself: two timers that know nothing of each other.
left=$(({deadline} - $(date +%s)))
if [ "$left" -gt {longest} ]; then left={longest}; fi
if [ "$left" -lt 1 ]; then sudo shutdown -h now; exit 0; fi
sudo shutdown -h "+$((left / 60))" || true
sudo setsid bash -c "sleep $left; until shutdown -h now; do sleep 5; done" </dev/null >/dev/null 2>&1 &
exit 0
"""

_RUN_STEP = """#!/bin/bash
# step.sh write|read: runs TestDFSIO, and posts what it wrote, signed for this run.
set -u
cd "$(mktemp -d)" || exit 1
tests=$(ls /usr/lib/hadoop-mapreduce/hadoop-mapreduce-client-jobclient-*tests.jar | head -n 1)
hadoop jar "$tests" TestDFSIO "-$1" -nrFiles {files} -size {file_mb}MB -resFile "$PWD/result" >log 2>&1
ended=$?
cat log
python3 - "$1" "$ended" >report.json <<'EOF'
import hashlib, hmac, json, os, sys
text = ""
for name in ("result", "log"):
    if not text and os.path.exists(name):
        with open(name, errors="replace") as file:
            text = file.read()[-100000:]
ok = sys.argv[2] == "0" and os.path.exists("result")
said = {{
    "stowage": "report", "version": 1, "run": {run!r}, "node": 0, "phase": "testdfsio-" + sys.argv[1],
    "status": "ok" if ok else "failed",
    "failure": None if ok else "TestDFSIO ended with " + sys.argv[2],
    "document": {{"tool": "testdfsio", "text": text}} if ok else {{}},
}}
signed = json.dumps(said, separators=(",", ":"))
key = bytes.fromhex({key!r})
print(json.dumps({{"signed": signed, "hmac_sha256": hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()}}))
EOF
aws s3 cp report.json {nodes}"testdfsio-$1.json"
exit $ended
"""


def roles_of(account: Account) -> tuple[str, str]:
    """Return the names of the roles that the template creates for EMR: service role and instance role."""
    short = str(account.connection.id)[:8]
    return f"stowage-emr-{short}", f"stowage-emr-nodes-{short}"


def launch_emr(account: Account, run: Run, action: LaunchEmr, key: bytes) -> Sequence[Resource]:
    """Start the EMR cluster of a run, unless the run already has a cluster.

    EMR has no idempotency tokens, so a cluster of the run that has not ended counts as the result of an earlier
    request.
    """
    price = run.spec.nodes * run.quote.node_usd_per_hour
    there = clusters_of(account, run)
    if there:
        return [Resource("emr-cluster", each, price, account.clock()) for each in there]
    step = _step(account, run, key).encode()
    put(account, account.key(run, _STEP), step, "text/plain")
    made = account.ask_once("elasticmapreduce:RunJobFlow", **request_of(account, run, action, step))
    return [Resource("emr-cluster", made["JobFlowId"], price, account.clock())]


def request_of(account: Account, run: Run, action: LaunchEmr, step: bytes) -> dict[str, Any]:
    """Build the request for a cluster that runs both steps of TestDFSIO, write and read, and then terminates."""
    spec, subnet = run.spec, subnet_in(account, run.zone)
    service, nodes = roles_of(account)
    where = f"s3://{account.connection.bucket}/"
    timers = _timers(action.deadline, account.clock())
    # The script is verified before it runs, because others can write to the bucket too.
    fetched = f"cd $(mktemp -d) && aws s3 cp {quote(where + account.key(run, _STEP))} step.sh"
    checked = f"echo '{hashlib.sha256(step).hexdigest()}  step.sh' | sha256sum --check --quiet"
    return {
        "Name": _name(account, run),
        "ReleaseLabel": RELEASE,
        "Applications": [{"Name": "Hadoop"}],
        "EbsRootVolumeSize": EMR_ROOT_GIB,
        "LogUri": where + account.key(run, "emr/logs/"),
        "ServiceRole": service,
        "JobFlowRole": nodes,
        "VisibleToAllUsers": True,
        "Instances": {
            "InstanceGroups": [_group(run, "MASTER", 1), _group(run, "CORE", spec.nodes - 1)],
            "Ec2SubnetId": subnet.id,
            "KeepJobFlowAliveWhenNoSteps": False,
            "TerminationProtected": False,
        },
        "BootstrapActions": [
            {"Name": "timers", "ScriptBootstrapAction": {"Path": "file:/bin/bash", "Args": ["-c", timers]}}
        ],
        "Steps": [
            {
                "Name": phase,
                "ActionOnFailure": "CONTINUE",
                "HadoopJarStep": {
                    "Jar": "command-runner.jar",
                    "Args": [
                        "bash",
                        "-c",
                        f"{fetched} && {checked} && bash step.sh {phase.removeprefix('testdfsio-')}",
                    ],
                },
            }
            for phase in DFSIO_PHASES
        ],
        "Tags": [*tags(account.connection, run, action.deadline), MANAGED],
    }


def clusters_of(account: Account, run: Run) -> Mapping[str, str]:
    """Return the open clusters of a run (clusters that have not ended), and the state of each cluster."""
    return {each["Id"]: each["Status"]["State"] for each in _listed(account) if each["Name"] == _name(account, run)}


def open_clusters(account: Account) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the open clusters of all runs of the connection, and the tags of each cluster.

    Yields nothing if the role may not list clusters; the reconciliation of a run reports that case.
    """
    for each in list(_listed(account, but=DENIED)):
        # The role may not describe clusters with other names.
        if each["Name"].startswith(_name(account)):
            described = account.ask("elasticmapreduce:DescribeCluster", ClusterId=each["Id"])
            told = read(described["Cluster"].get("Tags"))
            if told.get(CONNECTION) == str(account.connection.id) and RUN in told:
                yield each["Id"], told


def terminate_clusters(account: Account, clusters: Sequence[str]) -> None:
    """Terminate clusters."""
    if clusters:
        account.ask("elasticmapreduce:TerminateJobFlows", JobFlowIds=list(clusters))


def _listed(account: Account, but: Container[str] = ()) -> Iterator[Any]:
    return account.entries("elasticmapreduce:ListClusters", "Clusters", but=but, ClusterStates=list(OPEN))


def _name(account: Account, run: Run | None = None) -> str:
    return f"stowage-{account.connection.id}-{'' if run is None else run.id}"


def _group(run: Run, role: str, count: int) -> dict[str, Any]:
    spec = run.spec
    group: dict[str, Any] = {
        "Name": role.lower(),
        "InstanceRole": role,
        "InstanceType": spec.instance,
        "InstanceCount": count,
        "Market": "ON_DEMAND",
    }
    if isinstance(spec.storage, Volumes):
        volume: dict[str, Any] = {"VolumeType": spec.storage.type, "SizeInGB": spec.storage.size_gib}
        volume |= {} if spec.storage.iops is None else {"Iops": spec.storage.iops}
        if spec.storage.throughput_mib_per_s is not None:
            volume["Throughput"] = spec.storage.throughput_mib_per_s
        volumes = [{"VolumeSpecification": volume, "VolumesPerInstance": spec.storage.count}]
        group["EbsConfiguration"] = {"EbsBlockDeviceConfigs": volumes}
    return group


def _timers(deadline: datetime, now: datetime) -> str:
    longest = max(ceil((deadline - now).total_seconds()), 0)
    return _TIMERS.format(deadline=int(deadline.timestamp()), longest=longest)


def _step(account: Account, run: Run, key: bytes) -> str:
    first = account.key(run, report_key(0, DFSIO_PHASES[0])).rpartition("/")[0]
    return _RUN_STEP.format(
        files=run.spec.dfsio.files_per_node * run.spec.nodes,
        file_mb=run.spec.dfsio.file_mb,
        run=str(run.id),
        key=node_key(key, 0).hex(),
        nodes=quote(f"s3://{account.connection.bucket}/{first}/"),
    )
