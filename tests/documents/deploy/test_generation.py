"""Types before Nitro: the launch requests their disks, and the node identifies them by the metadata service."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from deployed import SHAPES, certain, divided, ebs, question, shape, written
from documents_checked import template_of
from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.devices import devices
from stowage.documents.deploy.emr import request
from stowage.documents.deploy.generation import asks_for_disks, processor_of
from stowage.documents.deploy.kinds import KINDS
from stowage.workloads.knowledge import packaged_knowledge

LATEST = packaged_knowledge("latest", "us-east-1").catalog.instance_types
PAPER = packaged_knowledge("paper-2014", "us-east-1").catalog.instance_types
TRAITLESS = {name: replace(each, traits=frozenset()) for name, each in LATEST.items()}


def test_a_family_tells_the_processor_that_traits_would_tell() -> None:
    # The names of Macs follow no rule; no file is made for one.
    wrong = [name for name, each in TRAITLESS.items() if processor_of(each) != processor_of(LATEST[name])]
    assert [name for name in wrong if not name.startswith("mac")] == []


@pytest.mark.parametrize("name", sorted(PAPER))
def test_a_type_of_the_paper_is_asked_for_its_disks(name: str) -> None:
    assert not PAPER[name].traits, "what this test is about"
    assert asks_for_disks(PAPER[name])
    assert processor_of(PAPER[name]) == "x86_64"


def mapped(name: str) -> dict[str, str]:
    """Return the disks that the template of a shape requests."""
    document = template_of(written(shape(name))[0]["cloudformation"].text)
    data = document["Resources"]["NodeTemplate"]["Properties"]["LaunchTemplateData"]
    return {each["VirtualName"]: each["DeviceName"] for each in data["BlockDeviceMappings"] if "VirtualName" in each}


@pytest.mark.parametrize(("name", "disks"), [("paper", 8), ("before nitro", 12), ("optimized link", 2), ("hdfs", 0)])
def test_the_disks_of_a_type_before_nvme_are_asked_for(name: str, disks: int) -> None:
    assert mapped(name) == {f"ephemeral{place}": f"/dev/sd{'bcdefghijklm'[place]}" for place in range(disks)}
    there, _ = written(shape(name))
    for format_ in ("terraform", "boto3"):
        assert re.findall(r"ephemeral\d+", there[format_].text) == [*mapped(name)], format_


def test_disks_that_are_not_used_are_asked_for_too() -> None:
    made = certain(question("d2.4xlarge", 3, divided(3, 2)))
    assert sum(each.virtual is not None for each in devices(made)) == 12


def test_disks_and_volumes_share_no_name() -> None:
    made = certain(question("d2.8xlarge", 3, ebs("gp3", 20), model="infrastructure"))
    names = [each.name.removeprefix("/dev/").removeprefix("sd").removeprefix("xvd") for each in devices(made)]
    assert len(names) == len(set(names)) == 1 + 24 + 20


def commands(folder: Path, **bodies: str) -> dict[str, str]:
    """Put the test's commands before those of this machine; return the environment."""
    for name, body in bodies.items():
        (folder / name).write_text(f'#!/bin/bash\necho "{name} $*" >>"{folder}/asked"\n{body}\n')
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


METADATA = """\
case "${@: -1}" in
  */api/token) echo token ;;
  */block-device-mapping/) printf '%s\\n' ami ebs1 ephemeral0 ephemeral1 root ;;
  */ephemeral0) echo sdb ;;
  */ephemeral1) echo /dev/xvdc ;;
esac
"""


def test_the_metadata_service_tells_disks_from_volumes(tmp_path: Path) -> None:
    script = f"set -euo pipefail\n{KINDS}\nfor disk in xvdb xvdc sdc xvdf xvdba xvda; do kind $disk; done\n"
    environment = commands(tmp_path, curl=METADATA)
    done = subprocess.run(
        ["/bin/bash", "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout.split() == ["local", "local", "local", "volume", "volume", "volume"]


def test_nodes_of_emr_ask_the_metadata_service_too() -> None:
    assert KINDS in user_data(shape("paper"))
    [action] = request(shape("optimized link"))["BootstrapActions"]
    assert KINDS in action["ScriptBootstrapAction"]["Args"][1]


@pytest.mark.parametrize(
    ("system", "holds", "kind", "blank"),
    [
        ("ext3", "lost+found", "local", True),
        ("ext3", "", "local", True),
        ("ext3", "other_users", "local", False),
        ("xfs", "", "local", False),
        ("ext3", "lost+found", "volume", False),
    ],
)
def test_a_disk_is_blank_as_aws_delivers_it(
    system: str,
    holds: str,
    kind: str,
    blank: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    """On c3, m3, d2 and others AWS delivers disks with an empty ext3, which cloud-init may have mounted."""
    _, _, behind = user_data(shape("paper")).partition("\nas_delivered() {\n")
    function = "as_delivered() {\n" + behind.partition("\n}\n")[0] + "\n}\n"
    environment = commands(
        tmp_path,
        blkid=f"echo {system}",
        findmnt="echo /media/ephemeral0",
        mount=f'if [ -n "{holds}" ]; then mkdir -p "${{@: -1}}/{holds}"; fi',
        umount=f'case $1 in {tmp_path}/*) rm -rf "$1/{holds or "none"}" ;; esac',
        wipefs="true",
        sed="true",
    )
    script = f"set -euo pipefail\nkind() {{ echo {kind}; }}\n{function}\nif as_delivered xvdb; then echo blank; fi\n"
    environment["TMPDIR"] = str(tmp_path)
    done = subprocess.run(
        ["/bin/bash", "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=20
    )
    assert (done.stdout == "blank\n") == blank
    asked = (tmp_path / "asked").read_text() if (tmp_path / "asked").exists() else ""
    assert ("wipefs -qa /dev/xvdb" in asked) == blank
    if blank:
        assert "umount /media/ephemeral0" in asked
        assert "sed -i \\#^/dev/xvdb[[:space:]]#d /etc/fstab" in asked


def test_every_shape_before_nitro_is_one_of_these() -> None:
    assert {name for name in SHAPES if shape(name).ephemeral_mapping} == {
        "paper", "before nitro", "optimized link", "no image",
    }  # fmt: skip
