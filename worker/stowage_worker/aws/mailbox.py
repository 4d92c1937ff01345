"""Files under a run's prefix that Stowage and nodes exchange, and presigned URLs for the nodes."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from stowage.frozen import frozen
from stowage.runs.actions import Instruct
from stowage.runs.mailbox import AGENT, ROLL, orders_key, report_key, status_key
from stowage.runs.observation import ObservedObject
from stowage.runs.orders import Addresses, expected, orders, roll
from stowage.runs.run import Resource, Run
from stowage_worker.agent.bundle import bundle
from stowage_worker.aws.account import Account
from stowage_worker.aws.trouble import WRITTEN_BEFORE, asking

ORDERS_LAST = timedelta(minutes=35)
"""Lifetime of presigned URLs in orders. Orders are renewed every fifteen minutes."""

_AT_ONCE = 1000
"""Keys that S3 lists, or deletes, in one request."""

MOST_PAGES = 20
"""Number of pages of `_AT_ONCE` keys that are listed or deleted at a time. The team's bucket can contain any number of
files under our prefix; a run of 1,000 nodes has some 5,000. Further files are found once these are deleted."""


@frozen
class Agent:
    """The packed agent that nodes download."""

    content: bytes
    sha256: str
    """In hex."""


@lru_cache(maxsize=1)
def agent() -> Agent:
    """Return the packed agent; the same bytes each time."""
    content = bundle()
    return Agent(content, hashlib.sha256(content).hexdigest())


def presigned(account: Account, operation: Literal["get_object", "put_object"], key: str, lasts: timedelta) -> str:
    """Return a presigned URL to read or write one file.

    Parameters
    ----------
    account : Account
    operation : {'get_object', 'put_object'}
    key : str
    lasts : timedelta
        Minimum lifetime; at most one hour, when the role's credentials expire.
    """
    files = account.bucket(lasts)
    given = {"Bucket": account.connection.bucket, "Key": key}
    address: str = files.generate_presigned_url(operation, Params=given, ExpiresIn=3600)
    return address


def put(account: Account, key: str, content: bytes, kind: str = "application/json") -> None:
    """Write a file; may raise `CloudError`."""
    account.ask("s3:PutObject", Key=key, Body=content, ContentType=kind)


def put_first(account: Account, key: str, content: bytes) -> bool:
    """Write a JSON file unless it exists, and return whether it was written; may raise `CloudError`."""
    only = {"ContentType": "application/json", "IfNoneMatch": "*"}
    return account.ask("s3:PutObject", but=WRITTEN_BEFORE, Key=key, Body=content, **only) is not None


def put_agent(account: Account, run: Run) -> Resource:
    """Store the agent, and a roll without nodes, in the files that the nodes of a run fetch."""
    put(account, account.key(run, AGENT), agent().content, "application/zip")
    # The roll must exist: for a missing file S3 answers "denied" to roles that may not list the bucket.
    put_first(account, account.key(run, ROLL), roll(replace(run, nodes=()), {}))
    return Resource("objects", account.key(run), 0.0, account.clock())


def instruct(account: Account, run: Run, action: Instruct, key: bytes) -> None:
    """Write the orders of all nodes, then the roll, so that every node on the roll finds its orders."""
    run = replace(run, nodes=action.nodes)
    told = expected(run.spec)
    orders_urls: dict[str, str] = {}
    for node, (instance, _) in enumerate(run.nodes):
        where = account.key(run, orders_key(node))
        orders_url = presigned(account, "get_object", where, ORDERS_LAST)
        reports = {
            phase: presigned(account, "put_object", account.key(run, report_key(node, phase)), ORDERS_LAST)
            for number, phase in sorted(told)
            if number == node
        }
        status = presigned(account, "put_object", account.key(run, status_key(node)), ORDERS_LAST)
        addresses = Addresses(orders_url, status, reports)
        put(account, where, orders(run, node, key, addresses, revision=action.revision, stop=action.stop))
        orders_urls[instance] = orders_url
    put(account, account.key(run, ROLL), roll(run, orders_urls))


def files_of(account: Account, run: Run) -> tuple[ObservedObject, ...]:
    """Return the files under the prefix of a run, from at most `MOST_PAGES` pages of the listing."""
    prefix = account.key(run)
    return tuple(
        ObservedObject(each["Key"].removeprefix(prefix), each["Size"], each["ETag"].strip('"'))
        for page in pages(account, prefix)
        for each in page.get("Contents", ())
    )


def pages(account: Account, prefix: str, most: int | None = None, **more: str) -> Iterator[Any]:
    """Yield up to `most` pages (default `MOST_PAGES`) of the keys under a prefix; may raise `CloudError`."""
    with asking("s3:ListBucket", account.connection.bucket_region):
        listed = account.bucket().get_paginator("list_objects_v2")
        asked = listed.paginate(
            Bucket=account.connection.bucket, Prefix=prefix, PaginationConfig={"PageSize": _AT_ONCE}, **more
        )
        yield from islice(asked, MOST_PAGES if most is None else most)


def is_there(account: Account, key: str) -> bool:
    """Return whether a file exists.

    The file is listed instead of read, because S3 denies reading a missing file to roles that may list only a prefix.
    """
    answer = account.ask("s3:ListBucket", Prefix=key, MaxKeys=1)
    return any(each["Key"] == key for each in answer.get("Contents", ()))


def fetch(account: Account, key: str, most_bytes: int) -> bytes:
    """Return a file, at most its first `most_bytes` bytes; may raise `CloudError`."""
    with (
        asking("s3:GetObject", account.connection.bucket_region),
        account.ask("s3:GetObject", Key=key)["Body"] as body,
    ):
        content: bytes = body.read(most_bytes)
    return content


def delete_files(account: Account, prefix: str) -> None:
    """Delete files under a prefix, up to `MOST_PAGES` pages of the listing; the next reconciliation continues."""
    for page in pages(account, prefix):
        part = [{"Key": each["Key"]} for each in page.get("Contents", ())]
        if part:
            files = {"Objects": part, "Quiet": True}
            account.ask("s3:DeleteObject", operation="delete_objects", Delete=files)
