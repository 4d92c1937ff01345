"""Requests to AWS for a refresh, and its faults and refusals: against a server of our own, and botocore's Stubber."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import boto3
import pytest
from botocore.stub import Stubber
from celery.exceptions import SoftTimeLimitExceeded

from aws import GP3, Aws, aws_server, environment, instance
from stowage.features.catalog import refresh
from stowage.features.catalog.refresh import AwsRequest, NotAnswered, Page, Source, TokenExpired
from stowage.platform.jobs.queue import celery_app
from stowage_worker.aws.reader import AwsReader
from stowage_worker.aws.session import LONGEST_PAGE_S, has_credentials

SINCE = datetime(2026, 11, 20, 9, tzinfo=UTC)


def asking(source: Source, region: str = "us-east-1") -> AwsRequest:
    return AwsRequest(region, source, SINCE)


@pytest.fixture(scope="module")
def server() -> Iterator[Aws]:
    with aws_server() as aws:
        yield aws


@pytest.fixture
def aws(server: Aws, monkeypatch: pytest.MonkeyPatch) -> Aws:
    for name, value in environment(server).items():
        monkeypatch.setenv(name, value)
    server.entries = [instance(f"m5.{size}", "0.1") for size in ("large", "xlarge", "2xlarge", "4xlarge")]
    server.faults.clear()
    return server


def pages(reader: AwsReader, question: AwsRequest) -> list[Page]:
    found = [reader.page(question, None)]
    while found[-1].next_token is not None:
        found.append(reader.page(question, found[-1].next_token))
    return found


def test_the_price_list_is_read_page_by_page(aws: Aws) -> None:
    read = pages(AwsReader(), asking("instances"))
    assert [len(page.rows) for page in read] == [3, 1]
    assert [row for page in read for row in page.rows] == aws.entries


def test_only_the_region_that_is_asked_about_is_answered(aws: Aws) -> None:
    aws.entries.append(instance("m5.large", "0.12", region="eu-west-1"))
    assert pages(AwsReader(), asking("instances", "eu-west-1"))[0].rows == [aws.entries[-1]]


def test_types_and_offerings_are_read_from_ec2(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {f"m5.{size}" for size in ("large", "xlarge", "2xlarge")}
    monkeypatch.setattr(aws, "types", sorted(names))
    reader = AwsReader()
    [types] = pages(reader, asking("types"))
    [offerings] = pages(reader, asking("offerings"))
    assert {row["InstanceType"] for row in types.rows} == names
    assert {row["InstanceType"] for row in offerings.rows} == names
    json.dumps(types.rows)


def test_spot_prices_come_with_their_times_as_text(aws: Aws) -> None:
    aws.spot = {"m5.large": 0.04}
    [page] = pages(AwsReader(), asking("spot"))
    assert [row["Timestamp"] for row in page.rows] == [f"2026-11-20T1{hour}:00:00+00:00" for hour in (0, 1, 0)]


def test_throttling_is_waited_out(aws: Aws) -> None:
    aws.fail("GetProducts", "throttle")
    assert len(AwsReader(attempts=2).page(asking("instances"), None).rows) == 3


def test_throttling_without_end_is_told(aws: Aws) -> None:
    aws.fail("GetProducts", "throttle", times=2)
    words = r"AWS kept throttling pricing:GetProducts in us-east-1 \(2 attempts\): Rate exceeded"
    with pytest.raises(NotAnswered, match=words):
        AwsReader(attempts=2).page(asking("instances"), None)


@pytest.mark.parametrize(("source", "action"), [("instances", "GetProducts"), ("spot", "DescribeSpotPriceHistory")])
def test_half_a_page_is_asked_for_again(aws: Aws, source: Source, action: str) -> None:
    aws.spot = {"m5.large": 0.04}
    aws.fail(action, "cut", times=2)
    assert len(AwsReader().page(asking(source), None).rows) == 3


def test_a_connection_that_breaks_each_time_is_told(aws: Aws) -> None:
    aws.fail("GetProducts", "cut", times=3)
    with pytest.raises(
        NotAnswered, match=r"The connection to AWS broke 3 times during pricing:GetProducts in us-east-1"
    ):
        AwsReader().page(asking("instances"), None)


@pytest.mark.parametrize(
    ("source", "action", "fault", "words"),
    [
        ("instances", "GetProducts", "deny", r"pricing:GetProducts in us-east-1: attach the policy infra/iam/"),
        ("spot", "DescribeSpotPriceHistory", "unauthorized", r"ec2:DescribeSpotPriceHistory in us-east-1: attach the"),
        ("types", "DescribeInstanceTypes", "not enabled", r"in us-east-1 .*wrong, or the region is not enabled"),
    ],
)
def test_a_refusal_names_what_was_refused_and_what_to_do(
    aws: Aws, source: Source, action: str, fault: str, words: str
) -> None:
    aws.fail(action, fault)
    with pytest.raises(NotAnswered, match=words):
        AwsReader().page(asking(source), None)


def test_the_end_of_a_parts_time_is_none_of_the_connections_faults(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr("urllib3.connectionpool.HTTPConnectionPool.urlopen", interrupted)
    with pytest.raises(SoftTimeLimitExceeded):
        AwsReader(attempts=1).page(asking("types"), None)
    assert aws.faults == type(aws.faults)()


def test_an_answer_that_broke_off_late_is_not_asked_for_again(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stowage_worker.aws.reader.ASK_AGAIN_FOR_S", 0.0)
    aws.fail("GetProducts", "cut")
    with pytest.raises(NotAnswered, match="The connection to AWS broke 1 times"):
        AwsReader().page(asking("instances"), None)


def test_a_part_puts_itself_back_before_its_time_is_over() -> None:
    soft_limit_s: float = celery_app("redis://127.0.0.1:1/0").conf.task_soft_time_limit
    assert soft_limit_s - 15.0 >= refresh._BUDGET_S + LONGEST_PAGE_S  # noqa: SLF001 - as its comment promises


def test_an_entry_that_is_no_json_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for entry in ("{", f"[{'9' * 5000}]", "[" * 100_000):
        answer = {"PriceList": [entry]}
        monkeypatch.setattr(AwsReader, "_asked", lambda *_, answer=answer: answer)
        with pytest.raises(NotAnswered, match="holds an entry that is no JSON"):
            AwsReader().page(asking("instances"), None)


def test_a_token_that_holds_no_more_is_told_apart(aws: Aws) -> None:
    aws.fail("GetProducts", "bad token")
    with pytest.raises(TokenExpired):
        AwsReader().page(asking("instances"), "3")


def test_a_list_whose_pages_end_early_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(_reader: AwsReader, _question: AwsRequest, token: str | None) -> Page:
        if token is not None:
            raise TokenExpired("the token is not valid")
        return Page([{"InstanceType": "i4i.large"}], "2")

    monkeypatch.setattr(AwsReader, "page", page)
    with pytest.raises(NotAnswered, match="between two pages of types in us-east-1: the token is not valid; try again"):
        AwsReader().rows("types", "us-east-1")


def test_without_credentials_it_is_said(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_credentials()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    assert not has_credentials()
    with pytest.raises(NotAnswered, match="There are no AWS credentials: Unable to locate credentials"):
        AwsReader().page(asking("instances"), None)
    assert aws.faults == type(aws.faults)()


def test_a_server_that_is_not_there_is_told(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws.address.replace("127.0.0.1", "127.0.0.2"))
    with pytest.raises(NotAnswered, match=r"AWS was not reached for ec2:DescribeInstanceTypes in us-east-1"):
        AwsReader(attempts=1).page(asking("types"), None)


def test_the_price_list_is_asked_as_its_model_says(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    client = boto3.client("pricing", region_name="us-east-1")
    reader = AwsReader()
    monkeypatch.setitem(reader._clients, ("pricing", "us-east-1"), client)  # noqa: SLF001 - in place of a real client
    filters = {"regionCode": "eu-west-1", "productFamily": "Provisioned Throughput"}
    expected = {
        "ServiceCode": "AmazonEC2",
        "FormatVersion": "aws_v1",
        "MaxResults": 100,
        "Filters": [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in filters.items()],
    }
    answer = {"FormatVersion": "aws_v1", "PriceList": [json.dumps(GP3[2])]}
    with Stubber(client) as stub:
        stub.add_response("get_products", {**answer, "NextToken": "more"}, expected)
        stub.add_response("get_products", answer, {**expected, "NextToken": "more"})
        read = pages(reader, asking("throughput", "eu-west-1"))
        stub.assert_no_pending_responses()
    assert [page.rows for page in read] == [[GP3[2]], [GP3[2]]]
    assert aws.faults == type(aws.faults)()
