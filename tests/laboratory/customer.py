"""boto3 clients that work like Stowage: with an assumed role, through the fault-injecting endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from laboratory.account import REGION, ROLE

EXTERNAL_ID = "stowage-laboratory"


@dataclass
class Customer:
    """Clients, and a subnet and security group for launches."""

    ec2: Any
    s3: Any
    subnet: str
    """Id of the subnet."""
    group: str
    """Id of the security group."""

    def launch(self, user_data: str, count: int = 1, **more: Any) -> list[str]:
        """Launch instances as a run does; return their ids."""
        launched = self.ec2.run_instances(**self.request(user_data, count, **more))["Instances"]
        return [each["InstanceId"] for each in launched]

    def request(self, user_data: str, count: int = 1, **more: Any) -> dict[str, Any]:
        root = {"VolumeType": "gp3", "VolumeSize": 8, "DeleteOnTermination": True}
        return {
            "ImageId": "ami-12c6146b",
            "InstanceType": "m5.large",
            "MinCount": count,
            "MaxCount": count,
            "UserData": user_data,
            "InstanceInitiatedShutdownBehavior": "terminate",
            "NetworkInterfaces": [
                {
                    "DeviceIndex": 0,
                    "SubnetId": self.subnet,
                    "Groups": [self.group],
                    "AssociatePublicIpAddress": True,
                    "DeleteOnTermination": True,
                }
            ],
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": root}],
            **more,
        }

    def described(self, name: str) -> Any:
        return self.ec2.describe_instances(InstanceIds=[name])["Reservations"][0]["Instances"][0]


def code(error: ClientError) -> str:
    """Return AWS' name of an error."""
    return error.response["Error"]["Code"]


@contextmanager
def customer(address: str) -> Iterator[Customer]:
    """Assume the role."""
    once = Config(retries={"max_attempts": 0}, signature_version="s3v4")
    plain: dict[str, Any] = {
        "endpoint_url": address,
        "region_name": REGION,
        "config": Config(retries={"max_attempts": 0}),
    }
    sts = boto3.client("sts", aws_access_key_id="AKIASTOWAGE", aws_secret_access_key="none", **plain)  # noqa: S106 - of the simulation
    try:
        given = sts.assume_role(RoleArn=ROLE, RoleSessionName="test", ExternalId=EXTERNAL_ID)["Credentials"]
    finally:
        sts.close()
    keys = {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }
    ec2: Any = boto3.client("ec2", **plain, **keys)
    s3: Any = boto3.client("s3", **(plain | {"config": once}), **keys)
    try:
        subnet = ec2.describe_subnets(Filters=[{"Name": "availability-zone", "Values": [f"{REGION}a"]}])["Subnets"][0]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=subnet["VpcId"])["GroupId"]
        yield Customer(ec2, s3, subnet["SubnetId"], group)
    finally:
        ec2.close()
        s3.close()
