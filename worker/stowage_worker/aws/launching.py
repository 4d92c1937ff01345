"""Launch of a run's nodes with one request, which is stored in S3 before it is sent.

EC2's client tokens make a launch idempotent: the same token with the same request returns the launched instances; the
same token with a different request is refused. A launch request contains presigned URLs, which differ each time. The
request is therefore stored under the run's prefix first, and every attempt sends the stored request.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from datetime import timedelta
from string import ascii_lowercase
from typing import Any
from uuid import UUID

from stowage.runs.actions import Launch
from stowage.runs.mailbox import AGENT, ROLL
from stowage.runs.observation import CloudError
from stowage.runs.orders import written
from stowage.runs.quote import ROOT_GIB
from stowage.runs.run import Resource, Run
from stowage.runs.spec import Volumes
from stowage_worker.aws.account import Account
from stowage_worker.aws.groups import name_of, security_group_of
from stowage_worker.aws.images import ROOT_DEVICE, UNBURDENED, facts_of, image_of
from stowage_worker.aws.looking import instances_in
from stowage_worker.aws.mailbox import agent, fetch, is_there, presigned, put_first
from stowage_worker.aws.network import Subnet, subnet_in
from stowage_worker.aws.tags import ATTEMPT, of_run, tagged, tags
from stowage_worker.aws.user_data import user_data

TAGGED = "instance", "volume", "network-interface"
BOOT = timedelta(minutes=40)
"""Minimum lifetime of the presigned URLs in user data: nodes must have started by then."""

_MOST_BYTES = 1 << 20


def token_of(run_id: UUID, attempt: int) -> str:
    """Return EC2's client token of a launch attempt, at most 64 characters.

    Examples
    --------
    >>> token_of(UUID("0192d3c4-5e6f-7081-92a3-b4c5d6e7f809"), 2)
    'stowage-0192d3c45e6f708192a3b4c5d6e7f809-2'
    """
    return f"stowage-{run_id.hex}-{attempt}"


def launch(account: Account, run: Run, action: Launch, key: bytes) -> Sequence[Resource]:
    """Launch all nodes of a run, or none; a repeated action returns the nodes already launched.

    Parameters
    ----------
    account : Account
    run : Run
    action : Launch
    key : bytes
        Key of the run, which authenticates the stored request.

    Raises
    ------
    CloudError
    """
    token = token_of(run.id, action.attempt)
    request = _written(account, run, action, key)
    answer = account.ask("ec2:RunInstances", but={"IdempotentParameterMismatch"}, **request, ClientToken=token)
    launched: list[Any] = [] if answer is None else list(answer["Instances"])
    if answer is None:
        # The stored request is gone, but EC2 may have accepted the launch.
        launched = _listed(account, run, action.attempt)
        if not launched:
            raise CloudError("unreachable", "AWS has taken the launch, and does not list its instances yet")
    now = account.clock()
    price = run.quote.node_usd_per_hour
    return [
        Resource("instance", each["InstanceId"], price, each.get("LaunchTime", now), action.attempt)
        for each in sorted(launched, key=lambda each: each.get("AmiLaunchIndex", 0))
    ]


def disks(run: Run) -> list[dict[str, Any]]:
    """Return the block devices of a node; all are deleted on termination."""
    root = {"VolumeType": "gp3", "VolumeSize": ROOT_GIB, "DeleteOnTermination": True, "Encrypted": True}
    found: list[dict[str, Any]] = [{"DeviceName": ROOT_DEVICE, "Ebs": root}]
    storage = run.spec.storage
    if isinstance(storage, Volumes):
        volume: dict[str, Any] = {
            "VolumeType": storage.type,
            "VolumeSize": storage.size_gib,
            "DeleteOnTermination": True,
            "Encrypted": True,
        }
        volume |= {} if storage.iops is None else {"Iops": storage.iops}
        volume |= {} if storage.throughput_mib_per_s is None else {"Throughput": storage.throughput_mib_per_s}
        found += [{"DeviceName": f"/dev/xvda{letter}", "Ebs": volume} for letter in ascii_lowercase[: storage.count]]
    return found


def request_of(account: Account, run: Run, action: Launch, subnet: Subnet, group: str) -> dict[str, Any]:
    """Build the EC2 request that launches all nodes of a run, without its client token."""
    spec = run.spec
    facts = facts_of(account, spec.instance)
    content = agent()
    listed = tags(account.connection, run, action.deadline, action.attempt)
    request: dict[str, Any] = {
        "ImageId": image_of(account, facts.processor),
        "InstanceType": spec.instance,
        # All or none: a partial cluster would cost money without giving the requested results.
        "MinCount": spec.nodes,
        "MaxCount": spec.nodes,
        "InstanceInitiatedShutdownBehavior": "terminate",
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        "NetworkInterfaces": [
            {
                "DeviceIndex": 0,
                "SubnetId": subnet.id,
                "Groups": [group],
                "AssociatePublicIpAddress": subnet.needs_public_address,
                "DeleteOnTermination": True,
            }
        ],
        "BlockDeviceMappings": disks(run),
        "UserData": user_data(
            agent_url=presigned(account, "get_object", account.key(run, AGENT), BOOT),
            sha256=content.sha256,
            roll_url=presigned(account, "get_object", account.key(run, ROLL), BOOT),
            deadline=action.deadline,
            longest_s=action.longest_s,
        ),
    }
    if facts.bursts:
        request |= UNBURDENED
    types = list(TAGGED)
    if spec.placement_group:
        request["Placement"] = {"GroupName": name_of(run)}
    if spec.market == "spot":
        types.append("spot-instances-request")
        offered = run.quote.spot_usd_per_hour
        request["InstanceMarketOptions"] = {
            "MarketType": "spot",
            "SpotOptions": {
                "SpotInstanceType": "one-time",
                "InstanceInterruptionBehavior": "terminate",
                **({} if offered is None else {"MaxPrice": f"{offered:.4f}"}),
            },
        }
    request["TagSpecifications"] = tagged(types, listed)
    return request


def _written(account: Account, run: Run, action: Launch, key: bytes) -> dict[str, Any]:
    """Store the launch request unless one is stored; return the stored request."""
    place = account.key(run, f"launches/{action.attempt}.json")
    seal = hmac.digest(key, b"launch:%d" % action.attempt, hashlib.sha256)
    if is_there(account, place):
        return _read(account, place, seal)
    subnet = subnet_in(account, action.zone)
    group = security_group_of(account, run)
    if group is None:
        raise CloudError("unreachable", "AWS does not list the security group of the run yet")
    text = json.dumps(request_of(account, run, action, subnet, group))
    is_first = put_first(account, place, written({"request": text, "hmac_sha256": _mac(text, seal)}))
    # If two workers store a request at the same time, both use the first one.
    request: dict[str, Any] = json.loads(text) if is_first else _read(account, place, seal)
    return request


def _read(account: Account, place: str, seal: bytes) -> dict[str, Any]:
    """Return the stored request after verifying its MAC, because others can write to the bucket too."""
    content = fetch(account, place, _MOST_BYTES)
    try:
        said = json.loads(content)
        text, mac = str(said["request"]), str(said["hmac_sha256"])
    except (ValueError, TypeError, KeyError, RecursionError):
        text, mac = "", ""
    if not hmac.compare_digest(_mac(text, seal).encode(), mac.encode(errors="replace")):
        words = f"A change was found in {place} of {account.connection.bucket}, from which nodes are launched."
        raise CloudError("invalid", f"{words} Nothing was launched: find out who writes to that bucket.")
    request: dict[str, Any] = json.loads(text)
    return request


def _mac(text: str, seal: bytes) -> str:
    return hmac.new(seal, text.encode(errors="replace"), hashlib.sha256).hexdigest()


def _listed(account: Account, run: Run, attempt: int) -> list[Any]:
    of_attempt = {"Name": f"tag:{ATTEMPT}", "Values": [str(attempt)]}
    return list(instances_in(account, [*of_run(run.id, account.connection.id), of_attempt]))
