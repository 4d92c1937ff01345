"""AWS requests of a catalog refresh, page by page."""

import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal

import boto3
from botocore.exceptions import BotoCoreError, ClientError, ResponseStreamingError
from botocore.parsers import ResponseParserError

from stowage.features.catalog.refresh import AwsRequest, NotAnswered, Page, Source, TokenExpired
from stowage_worker.aws.session import ASK_AGAIN_FOR_S, ATTEMPTS, config, in_words, let_pass

PRICING_REGION = "us-east-1"
"""The price list of all regions is served from three: this, eu-central-1 and ap-south-1 (AWS Billing user guide)."""

log = logging.getLogger(__name__)

_CUTS = 3
"""Number of requests for a page whose response broke off: botocore retries only if no response began."""

_CUT = (ResponseStreamingError, ResponseParserError)
_LINUX = ("Linux/UNIX", "Linux/UNIX (Amazon VPC)")
_BAD_TOKENS = frozenset({"InvalidNextToken", "InvalidNextTokenException", "ExpiredNextTokenException"})
_LINUX_INSTANCES = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
}
_FAMILIES: Mapping[Source, str] = {
    "volumes": "Storage",
    "iops": "System Operation",
    "throughput": "Provisioned Throughput",
    "snapshots": "Storage Snapshot",
}


class AwsReader:
    """Reader of AWS pages with boto3's credential chain, retries and ``AWS_ENDPOINT_URL``.

    Parameters
    ----------
    attempts : int
        Attempts per request.
    endpoint_url : str or None
        Address of a server compatible with AWS; None for the default.

    Notes
    -----
    **Source**: EC2 API reference, DescribeInstanceTypes (at most 100 entries per page), DescribeInstanceTypeOfferings
    and DescribeSpotPriceHistory (at most 1,000 per page: the prices at the start time, and all later changes); Price
    List API reference, GetProducts (at most 100 per page; `PriceList` is a list of JSON texts); 2026-11-20.
    """

    def __init__(self, attempts: int = ATTEMPTS, endpoint_url: str | None = None) -> None:
        self._attempts, self._endpoint_url = attempts, endpoint_url
        self._clients: dict[tuple[str, str], Any] = {}

    def page(self, question: AwsRequest, token: str | None) -> Page:
        """Return a page of AWS' answer to a request; see `stowage.features.catalog.refresh.Reader`."""
        if question.source == "types":
            return self._ec2(question, token, "describe_instance_types", "InstanceTypes", MaxResults=100)
        if question.source == "offerings":
            limits = {"LocationType": "region", "MaxResults": 1000}
            return self._ec2(question, token, "describe_instance_type_offerings", "InstanceTypeOfferings", **limits)
        if question.source == "spot":
            asked = {"ProductDescriptions": list(_LINUX), "StartTime": question.since, "MaxResults": 1000}
            page = self._ec2(question, token, "describe_spot_price_history", "SpotPriceHistory", **asked)
            return Page([row for row in page.rows if row["ProductDescription"] in _LINUX], page.next_token)
        return self._prices(question, token)

    def rows(self, source: Source, region: str) -> Sequence[Mapping[str, Any]]:
        """Return the rows of all pages; may raise `NotAnswered`."""
        question = AwsRequest(region, source, datetime.now(UTC))
        page = self.page(question, None)
        found = [*page.rows]
        try:
            while page.next_token is not None:
                page = self.page(question, page.next_token)
                found += page.rows
        except TokenExpired as error:
            raise NotAnswered(f"AWS stopped between two pages of {source} in {region}: {error}; try again") from error
        return found

    def _ec2(self, question: AwsRequest, token: str | None, operation: str, key: str, **asked: object) -> Page:
        answer = self._asked("ec2", operation, key, question, token, asked)
        return Page([_as_json(row) for row in answer[key]], answer.get("NextToken") or None)

    def _prices(self, question: AwsRequest, token: str | None) -> Page:
        wanted = {"regionCode": question.region}
        if question.source == "transfer":
            wanted = {"fromRegionCode": question.region, "transferType": "IntraRegion"}
        elif question.source == "instances":
            wanted |= _LINUX_INSTANCES
        else:
            wanted |= {"productFamily": _FAMILIES[question.source]}
        asked = {
            "ServiceCode": "AWSDataTransfer" if question.source == "transfer" else "AmazonEC2",
            "FormatVersion": "aws_v1",
            "MaxResults": 100,
            "Filters": [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()],
        }
        answer = self._asked("pricing", "get_products", "PriceList", question, token, asked)
        try:
            rows = [json.loads(entry) for entry in answer["PriceList"]]
        except (ValueError, RecursionError) as error:
            raise NotAnswered(
                f"AWS' price list of {question.region} holds an entry that is no JSON: {error}"
            ) from error
        return Page(rows, answer.get("NextToken") or None)

    def _asked(
        self,
        service: Literal["ec2", "pricing"],
        operation: str,
        key: str,
        question: AwsRequest,
        token: str | None,
        asked: Mapping[str, object],
    ) -> Mapping[str, Any]:
        action = f"{service}:{''.join(word.capitalize() for word in operation.split('_'))}"
        more = {} if token is None else {"NextToken": token}
        broken: Exception | None = None
        started, asks = time.monotonic(), 0
        while asks == 0 or (asks < _CUTS and time.monotonic() - started < ASK_AGAIN_FOR_S):
            asks += 1
            try:
                client = self._client(service, question.region if service == "ec2" else PRICING_REGION)
                answer: Mapping[str, Any] = getattr(client, operation)(**asked, **more)
            except ClientError as error:
                if token is not None and error.response["Error"].get("Code") in _BAD_TOKENS:
                    raise TokenExpired(str(error)) from error
                raise NotAnswered(in_words(error, action, question.region, self._attempts)) from error
            except _CUT as error:
                broken = error
            except BotoCoreError as error:
                let_pass(error)
                raise NotAnswered(in_words(error, action, question.region, self._attempts)) from error
            else:
                # botocore converts a truncated JSON document to an empty response.
                if key in answer:
                    return answer
                broken = EOFError(f"it had no {key}")
            log.warning("a response to %s was truncated, retrying: %s", action, broken)
        raise NotAnswered(in_words(broken or EOFError(), action, question.region, asks)) from broken

    @cached_property
    def _session(self) -> boto3.Session:
        # Created by the first request, which reports an error in the settings.
        return boto3.Session()

    def _client(self, service: Literal["ec2", "pricing"], region: str) -> Any:  # noqa: ANN401 - the operation is a name
        if (service, region) not in self._clients:
            self._clients[service, region] = self._session.client(
                service, region_name=region, endpoint_url=self._endpoint_url, config=config(self._attempts)
            )
        return self._clients[service, region]


def described_types(
    regions: Iterable[str], endpoint_url: str | None = None
) -> tuple[tuple[Mapping[str, Any], ...], Mapping[str, frozenset[str]]]:
    """Return the instance types of some regions, as EC2 describes them.

    Parameters
    ----------
    regions : iterable of str
    endpoint_url : str or None
        Address of a server compatible with EC2; None for AWS.

    Returns
    -------
    tuple of (tuple of mapping, mapping of str to frozenset of str)
        `InstanceTypeInfo` of each type, once, sorted by name; and the names of the types that each region offers.

    Raises
    ------
    NotAnswered
        There are no credentials, EC2 refuses the request, or EC2 is unreachable.
    """
    reader = AwsReader(endpoint_url=endpoint_url)
    types: dict[str, Mapping[str, Any]] = {}
    offered: dict[str, frozenset[str]] = {}
    for region in regions:
        offered[region] = frozenset(row["InstanceType"] for row in reader.rows("offerings", region))
        if offered[region] - types.keys():
            types = {row["InstanceType"]: row for row in reader.rows("types", region)} | types
    return tuple(types[name] for name in sorted(types)), offered


def _as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the times in a row to UTC texts, whose alphabetical order is the order of time."""
    return {
        name: value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value for name, value in row.items()
    }
