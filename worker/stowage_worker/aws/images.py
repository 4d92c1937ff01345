"""Machine image of nodes: the newest Amazon Linux 2023 for the processor of the instance type."""

from dataclasses import dataclass
from typing import Any, cast

from stowage.runs.observation import CloudError
from stowage_worker.aws.account import Account
from stowage_worker.aws.trouble import asking

PARAMETER = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-{processor}"
"""Public parameters of AWS (Amazon Linux 2023 user guide, "Launching AL2023 using the SSM parameter", 2026-11-20)."""

ROOT_DEVICE = "/dev/xvda"


UNBURDENED = {"CreditSpecification": {"CpuCredits": "standard"}}
"""For burstable types: in the default unlimited mode AWS charges for surplus CPU credits, which no quote includes
 (EC2 user guide, "Unlimited mode for burstable performance instances", 2026-11-20)."""


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """Properties of an instance type that a launch needs.

    Parameters
    ----------
    vcpus : int
    processor : str
        ``x86_64`` or ``arm64``.
    bursts : bool
        Whether the type is burstable: its CPU uses credits.
    """

    vcpus: int
    processor: str
    bursts: bool


def facts_of(account: Account, instance: str) -> TypeFacts:
    """Return the properties of an instance type from EC2; may raise `CloudError`."""
    described: list[Any] = []
    with asking("ec2:DescribeInstanceTypes", account.region, {"InvalidInstanceType"}):
        described = list(account.ec2.describe_instance_types(InstanceTypes=[cast("Any", instance)])["InstanceTypes"])
    if not described:
        raise CloudError("invalid", f"EC2 knows no type {instance} in {account.region}")
    processors = described[0].get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    known: tuple[str, ...] = ("x86_64", "arm64")
    processor = next((each for each in known if each in processors), None)
    if processor is None:
        raise CloudError("invalid", f"{instance} runs {', '.join(processors)}: the agent has no image for it")
    return TypeFacts(
        described[0]["VCpuInfo"]["DefaultVCpus"],
        processor,
        bursts=described[0].get("BurstablePerformanceSupported", False),
    )


def image_of(account: Account, processor: str) -> str:
    """Return the id of the newest Amazon Linux 2023 image for a processor; may raise `CloudError`."""
    with asking("ssm:GetParameter", account.region):
        answer = account.client("ssm").get_parameter(Name=PARAMETER.format(processor=processor))
    image: str = answer["Parameter"]["Value"]
    return image
