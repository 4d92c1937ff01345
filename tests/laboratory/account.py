"""Simulated AWS account, read and changed directly in the simulation, without the endpoint that Stowage uses."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import RLock
from typing import Any

import boto3
from botocore.config import Config
from moto.ec2.models import ec2_backends
from moto.ec2.models.instances import StateReason
from moto.server import ThreadedMotoServer

ACCOUNT = "210987654321"
"""Number of the connected account, which is not the account of Stowage's own keys."""

REGION = "us-east-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/stowage"
BUCKET = "stowage-benchmarks-210987654321"


class Account:
    """One region of the account.

    Parameters
    ----------
    moto : (str, int)
        Host and port of the simulation.
    """

    ending: RLock
    """Lock while an instance ends: two concurrent terminations would delete its interfaces twice in the simulation."""

    def __init__(self, moto: tuple[str, int]) -> None:
        self.moto = moto
        self.ending = RLock()
        self._backend = ec2_backends[ACCOUNT][REGION]
        endpoint = f"http://{moto[0]}:{moto[1]}"
        plain: Mapping[str, Any] = {
            "endpoint_url": endpoint,
            "region_name": REGION,
            "config": Config(retries={"max_attempts": 0}),
        }
        sts = boto3.client("sts", aws_access_key_id="AKIALABORATORY", aws_secret_access_key="none", **plain)  # noqa: S106 - of the simulation
        given = sts.assume_role(RoleArn=ROLE, RoleSessionName="laboratory", ExternalId="laboratory")["Credentials"]
        keys = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        sts.close()
        self.ec2: Any = boto3.client("ec2", **plain, **keys)
        self.s3: Any = boto3.client("s3", **plain, **keys)
        self.emr: Any = boto3.client("emr", **plain, **keys)
        self.cloudwatch: Any = boto3.client("cloudwatch", **plain, **keys)
        self.s3.create_bucket(Bucket=BUCKET)
        self._route()
        self._groups = {each["GroupId"] for each in self.ec2.describe_security_groups()["SecurityGroups"]}

    def _route(self) -> None:
        """Connect the default VPC to the internet, as AWS does and the simulation does not."""
        vpc = self.ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"][0]["VpcId"]
        gateway = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        main = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "association.main", "Values": ["true"]}]
        table = self.ec2.describe_route_tables(Filters=main)["RouteTables"][0]["RouteTableId"]
        self.ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)

    def close(self) -> None:
        for client in (self.ec2, self.s3, self.emr, self.cloudwatch):
            client.close()

    def instances(self) -> list[Any]:
        """Return all instances, including ended ones, as the simulation stores them."""
        return [each for made in list(self._backend.reservations.values()) for each in list(made.instances)]

    def volumes(self) -> list[Any]:
        return list(self._backend.volumes.values())

    def is_gone(self, instance_id: str) -> bool:
        instance = self._backend.get_instance_by_id(instance_id)
        return instance is None or instance.state == "terminated"

    def zone_of(self, subnet_id: str) -> str:
        return str(self._backend.get_subnet(subnet_id).availability_zone)

    def cidr_of(self, vpc_id: str) -> str:
        return str(self._backend.get_vpc(vpc_id).cidr_block)

    @staticmethod
    def user_data(instance: Any) -> bytes:
        return base64.b64decode(str(instance.user_data or ""))

    def end(self, instance_id: str, code: str, words: str) -> None:
        """End an instance for a reason other than the user's; one that has ended keeps its reason."""
        with self.ending:
            if self.is_gone(instance_id):
                return
            self._backend.terminate_instances([instance_id])
            instance = self._backend.get_instance(instance_id)
            instance.state_reason = StateReason(f"{code}: {words}", code)

    def stop(self, instance_id: str) -> None:
        with self.ending:
            if not self.is_gone(instance_id):
                self._backend.stop_instances([instance_id])

    def left(self) -> dict[str, list[str]]:
        """List resources in the simulation that cost money or remain; empty lists are omitted."""
        reservations = self.ec2.describe_instances()["Reservations"]
        groups = {each["GroupId"] for each in self.ec2.describe_security_groups()["SecurityGroups"]}
        living = ["STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING", "TERMINATING"]
        found = {
            "instances": [
                each["InstanceId"]
                for made in reservations
                for each in made["Instances"]
                if each["State"]["Name"] != "terminated"
            ],
            "volumes": [each["VolumeId"] for each in self.ec2.describe_volumes()["Volumes"]],
            "network interfaces": [
                each["NetworkInterfaceId"] for each in self.ec2.describe_network_interfaces()["NetworkInterfaces"]
            ],
            "security groups": sorted(groups - self._groups),
            "objects": [each["Key"] for each in self.s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])],
            "clusters": [each["Id"] for each in self.emr.list_clusters(ClusterStates=living)["Clusters"]],
        }
        return {kind: ids for kind, ids in found.items() if ids}


@contextmanager
def account() -> Iterator[Account]:
    """Run the simulation, empty, with the account in it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        moto = server.get_host_and_port()
        _reset(moto)
        made = Account(moto)
        try:
            yield made
        finally:
            made.close()
            _reset(moto)
    finally:
        server.stop()


def _reset(moto: tuple[str, int]) -> None:
    connection = HTTPConnection(*moto)
    try:
        connection.request("POST", "/moto-api/reset")
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()
    finally:
        connection.close()
