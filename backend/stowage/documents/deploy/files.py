"""Deployment files of all formats, and the reasons for formats that are not available."""

from collections.abc import Callable
from typing import Literal

from stowage.documents.deploy import cloudformation, emr, fio, script, terraform
from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.quoting import file_stem
from stowage.frozen import frozen

Format = Literal["cloudformation", "terraform", "emr", "boto3", "fio-input-output", "fio-intermediate"]
Language = Literal["yaml", "hcl", "json", "python", "ini"]

NO_IMAGE = {
    "a1": "Amazon Linux 2023 needs an arm64 processor of Graviton2 or newer",
    "c1": "it starts from paravirtual images, and Amazon Linux 2023 has none",
    "m1": "it starts from paravirtual images, and Amazon Linux 2023 has none",
    "m2": "it starts from paravirtual images, and Amazon Linux 2023 has none",
    "t1": "it starts from paravirtual images, and Amazon Linux 2023 has none",
    "hi1": "AWS launches none any more",
    "hs1": "AWS launches none any more",
    "cc2": "AWS launches none any more",
    "cr1": "AWS launches none any more",
}
"""Why Amazon Linux 2023 does not start on a family (Amazon Linux 2023 user guide, "System requirements"; EC2 user
guide, "Linux AMI virtualization types" and "Previous generation instances"; 2026-11-20)."""


@frozen
class DeploymentFile:
    """One deployment file."""

    format: Format
    title: str
    name: str
    """File name: ASCII."""
    language: Language
    text: str
    """Begins with a comment, where its language has comments."""
    notes: tuple[str, ...] = ()
    """Notes on this format."""


@frozen
class DeploymentRefusal:
    """A format in which no file is available for a deployment, and the reason."""

    format: Format
    title: str
    reason: str


@frozen
class _Kind:
    format: Format
    title: str
    ending: str
    language: Language
    write: Callable[[Deployment], str]
    refuse: Callable[[Deployment], str | None]
    note: Callable[[Deployment], tuple[str, ...]] = lambda _: ()


def _no_image(deployment: Deployment) -> str | None:
    for instance in deployment.instances:
        family = instance.partition(".")[0]
        reason = "macOS has an image and hosts of its own" if family.startswith("mac") else NO_IMAGE.get(family)
        if reason is not None:
            return f"{instance} cannot be started with this file: {reason}"
    return None


def _group_note(deployment: Deployment) -> tuple[str, ...]:
    note = (
        "The nodes are an Auto Scaling group of a fixed size: one that dies is replaced by one with blank disks. "
        "Nodes come one after the other; where capacity is short, the group tries on."
    )
    if deployment.volumes is None:
        return (note,)
    return (note, "A volume that outlives its node is attached to no other one by itself.")


def _template_note(deployment: Deployment) -> tuple[str, ...]:
    first = "the first zone" if deployment.zones == 1 else f"the first {deployment.zones} zones"
    chosen = (
        f"Without SubnetIds it takes {first} of the default VPC: a template cannot ask which have the type, as "
        "Terraform and the script do."
    )
    notes = (*_group_note(deployment), chosen)
    if deployment.zones == 1:
        return notes
    moved = "A template cannot stop the group from evening out its zones: suspend AZRebalance when it is made."
    return (*notes, moved)


def _script_note(deployment: Deployment) -> tuple[str, ...]:
    many = deployment.nodes > script.BATCH * deployment.zones
    batches = (
        f" Beyond {script.BATCH} nodes it asks for several batches; where one fails, all are ended." if many else ""
    )
    return (f"EC2 launches all nodes of a request, or none; a node that dies is not replaced.{batches}",)


_KINDS = (
    _Kind(
        "cloudformation",
        "CloudFormation",
        "cloudformation.yaml",
        "yaml",
        cloudformation.template,
        _no_image,
        _template_note,
    ),
    _Kind("terraform", "Terraform", "tf", "hcl", terraform.configuration, _no_image, _group_note),
    _Kind("emr", "EMR", "emr.json", "json", emr.job_flow, emr.refusal, emr.notes),
    _Kind("boto3", "boto3 script", "py", "python", script.script, _no_image, _script_note),
    _Kind(
        "fio-input-output",
        "fio: input and output",
        "input-output.fio",
        "ini",
        lambda each: fio.job_file(each, "input-output"),
        lambda each: fio.refusal(each, "input-output"),
    ),
    _Kind(
        "fio-intermediate",
        "fio: intermediate data",
        "intermediate.fio",
        "ini",
        lambda each: fio.job_file(each, "intermediate"),
        lambda each: fio.refusal(each, "intermediate"),
    ),
)


def files(deployment: Deployment) -> tuple[tuple[DeploymentFile, ...], tuple[DeploymentRefusal, ...]]:
    """Build every file of a deployment.

    Returns
    -------
    tuple of DeploymentFile
        Files of the available formats.
    tuple of DeploymentRefusal
        The other formats, with the reasons.
    """
    made, refused = [], []
    stem = file_stem(deployment.name)
    for kind in _KINDS:
        reason = kind.refuse(deployment)
        if reason is not None:
            refused.append(DeploymentRefusal(kind.format, kind.title, reason))
        else:
            name = f"{stem}.{kind.ending}"
            text = kind.write(deployment)
            made.append(DeploymentFile(kind.format, kind.title, name, kind.language, text, kind.note(deployment)))
    return tuple(made), tuple(refused)
