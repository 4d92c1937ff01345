"""Machine image of nodes: the newest Amazon Linux 2023 for the processor of the instance type."""

from stowage.frozen import frozen
from stowage.runs.observation import CloudError
from stowage_worker.aws.account import Account

PARAMETER = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-{processor}"
"""Public parameters of AWS (Amazon Linux 2023 user guide, "Launching AL2023 using the SSM parameter", 2026-11-20)."""

ROOT_DEVICE = "/dev/xvda"


UNBURDENED = {"CreditSpecification": {"CpuCredits": "standard"}}
"""For burstable types: in the default unlimited mode AWS charges for surplus CPU credits, which no quote includes
 (EC2 user guide, "Unlimited mode for burstable performance instances", 2026-11-20)."""


@frozen
class TypeFacts:
    """Properties of an instance type that a launch needs."""

    vcpus: int
    processor: str
    """`x86_64` or `arm64`."""
    bursts: bool
    """Whether the type is burstable: its CPU uses credits."""


def facts_of(account: Account, instance: str) -> TypeFacts:
    """Return the properties of an instance type from EC2; may raise `CloudError`."""
    answer = account.ask("ec2:DescribeInstanceTypes", but={"InvalidInstanceType"}, InstanceTypes=[instance])
    if answer is None or not answer["InstanceTypes"]:
        raise CloudError("invalid", f"EC2 knows no type {instance} in {account.region}")
    described = answer["InstanceTypes"][0]
    processors = described.get("ProcessorInfo", {}).get("SupportedArchitectures", [])
    known: tuple[str, ...] = ("x86_64", "arm64")
    processor = next((each for each in known if each in processors), None)
    if processor is None:
        raise CloudError("invalid", f"{instance} runs {', '.join(processors)}: the agent has no image for it")
    return TypeFacts(
        described["VCpuInfo"]["DefaultVCpus"],
        processor,
        bursts=described.get("BurstablePerformanceSupported", False),
    )


def image_of(account: Account, processor: str) -> str:
    """Return the id of the newest Amazon Linux 2023 image for a processor; may raise `CloudError`."""
    image: str = account.ask("ssm:GetParameter", Name=PARAMETER.format(processor=processor))["Parameter"]["Value"]
    return image
