"""Two hundred random configurations with hostile names: the tools for each format accept every file."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from moto import mock_aws

from deployed import random_deployments, written
from documents_checked import (
    cluster_of_stack,
    faults_of_request,
    fio_reads,
    linted,
    shell_faults,
    shown_requests,
    unknown_arguments,
)
from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.deployment import Deployment

COUNT = 200
MOST_IN_A_STACK = 24
"""Nodes; the simulation creates each of them, with its volumes."""


@pytest.mark.soak("tools")
def test_every_file_of_two_hundred_random_configurations_is_taken(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    counted, boots = Counter[str](), set[str]()
    for asked, made in random_deployments(COUNT):
        there, refused = written(made)
        faults = {kind: _faults(kind, file.text, made, tmp_path) for kind, file in there.items()}
        assert {kind: fault for kind, fault in faults.items() if fault} == {}, asked
        boots.add(user_data(made))
        counted.update(there.keys())
        counted.update(f"{kind} refused" for kind in refused)
        if "cloudformation" in there and made.nodes <= MOST_IN_A_STACK and not _unknown_to_moto(made):
            with mock_aws():
                built = cluster_of_stack(there["cloudformation"].text, made.region)
            assert built.nodes == made.nodes + (made.primary is not None), asked
            assert built.open_to == []
            counted["stacks made"] += 1
    assert shell_faults({f"boot-{number}": text for number, text in enumerate(sorted(boots))}, tmp_path) == ""
    for name, count in sorted(counted.items()):
        record_property(name, count)
    print(dict(sorted(counted.items())))  # noqa: T201 - shown when the test is run alone with -s
    assert counted["terraform"] > COUNT / 2
    assert counted["emr"] > COUNT / 4


def _faults(kind: str, text: str, made: Deployment, folder: Path) -> object:
    if kind == "cloudformation":
        return linted(text)
    if kind == "terraform":
        return unknown_arguments(text)
    if kind == "emr":
        return faults_of_request("emr", "RunJobFlow", json.loads(text))
    if kind == "boto3":
        requests = shown_requests(text, folder)
        assert sum(each["MinCount"] for each in requests) == made.nodes + (made.primary is not None)
        return "".join(faults_of_request("ec2", "RunInstances", each) for each in requests)
    return fio_reads(text, folder)


def _unknown_to_moto(made: Deployment) -> bool:
    """Check whether the simulation refuses volumes that AWS accepts: it loses the IOPS that a launch template names."""
    return made.volumes is not None and made.volumes.volume_type in {"io1", "io2"}
