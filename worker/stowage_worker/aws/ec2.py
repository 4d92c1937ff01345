"""Instance types as EC2 describes them, and the regions that offer them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from stowage_worker.aws.session import ATTEMPTS, config, in_words

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_ec2.type_defs import DescribeInstanceTypesRequestPaginateTypeDef

_NAMES_A_REQUEST = 100


class NotDescribedError(Exception):
    """EC2 did not answer; the message names the cause and the remedy."""


@dataclass(frozen=True, slots=True)
class Described:
    """Answers of EC2 about some regions.

    Parameters
    ----------
    types : tuple of mapping
        `InstanceTypeInfo` of each type, once.
    offered : Mapping[str, frozenset of str]
        Region -> names of the types that the region offers; empty if the region offers none.
    """

    types: tuple[Mapping[str, Any], ...]
    offered: Mapping[str, frozenset[str]]


def describe(regions: Iterable[str], endpoint_url: str | None = None) -> Described:
    """Return the instance types of some regions; a type offered in several regions appears once.

    Parameters
    ----------
    regions : iterable of str
    endpoint_url : str, optional
        Address of a server compatible with EC2; default AWS.

    Raises
    ------
    NotDescribedError
        There are no credentials, EC2 refuses the request, or EC2 is unreachable.
    """
    types: dict[str, Mapping[str, Any]] = {}
    offered: dict[str, frozenset[str]] = {}
    for region in regions:
        action = "ec2:DescribeInstanceTypeOfferings"
        try:
            client: EC2Client = boto3.client("ec2", region_name=region, endpoint_url=endpoint_url, config=config())
            offered[region] = describe_offerings(client)
            action = "ec2:DescribeInstanceTypes"
            wanted = sorted(offered[region] - types.keys()) if types else None
            types |= {item["InstanceType"]: item for item in describe_instance_types(client, wanted)}
        except (BotoCoreError, ClientError) as error:
            raise NotDescribedError(in_words(error, action, region, ATTEMPTS)) from error
    return Described(tuple(types[name] for name in sorted(types)), offered)


def describe_instance_types(client: "EC2Client", names: Iterable[str] | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield `InstanceTypeInfo` of the named types, or of all types in the client's region, page by page."""
    paginator = client.get_paginator("describe_instance_types")
    asked = [None] if names is None else list(_parts(list(names)))
    for part in asked:
        request: DescribeInstanceTypesRequestPaginateTypeDef = {} if part is None else {"InstanceTypes": part}  # type: ignore[typeddict-item]  # the stubs list the names of a day
        for page in paginator.paginate(**request):
            yield from page["InstanceTypes"]


def describe_offerings(client: "EC2Client") -> frozenset[str]:
    """Return the names of the types that the client's region offers."""
    pages = client.get_paginator("describe_instance_type_offerings").paginate(LocationType="region")
    return frozenset(row["InstanceType"] for page in pages for row in page["InstanceTypeOfferings"])


def _parts(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), _NAMES_A_REQUEST):
        yield names[start : start + _NAMES_A_REQUEST]
