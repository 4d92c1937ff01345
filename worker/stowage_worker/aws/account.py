"""Requests to one region of a connected account, with the role's temporary credentials."""

from collections.abc import Callable, Container, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from botocore import xform_name
from botocore.config import Config

from stowage.runs.cloud import Connection
from stowage.runs.run import Run
from stowage_worker.aws.roles import LEAST, Roles
from stowage_worker.aws.session import config
from stowage_worker.aws.trouble import asking

# Nodes use presigned URLs. A signed checksum would have to be known in advance, so there is none. The regional endpoint
# avoids redirects: for hours after its creation a bucket's global address redirects, and a PUT does not follow.
FILES = Config(
    signature_version="s3v4",
    request_checksum_calculation="when_required",
    s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"},
)

_ATTEMPTS = 2
"""Attempts per request: an error is stored with the run and retried at its next reconciliation."""

_ONCE = Config(read_timeout=60)
"""For requests without an idempotency token: botocore must not repeat them after a lost response."""

_SERVICES: Mapping[str, str] = {"elasticmapreduce": "emr", "servicequotas": "service-quotas"}
"""boto3's names of services that have other names in IAM policies."""
_OPERATIONS: Mapping[str, str] = {"s3:ListBucket": "list_objects_v2"}
"""boto3's names of operations that have other names in IAM policies."""


class Account:
    """Access to one region of a connected account. Requests may raise `CloudError`.

    Parameters
    ----------
    connection : Connection
    region : str
    roles : Roles
    clock : callable
        Returns the current time.
    """

    def __init__(self, connection: Connection, region: str, roles: Roles, clock: Callable[[], datetime]) -> None:
        self.connection = connection
        self.region = region
        self.clock = clock
        self._roles = roles

    def reach(self) -> None:
        """Assume the role unless its credentials are cached; may raise `CloudError`."""
        self._roles.assumed(self.connection)

    def forget(self) -> None:
        """Drop the cached credentials of the role."""
        self._roles.forget(self.connection)

    def ask(
        self,
        action: str,
        *,
        but: Container[str] = (),
        where: str | None = None,
        operation: str | None = None,
        **request: Any,  # noqa: ANN401 - as AWS takes it
    ) -> Any:  # noqa: ANN401 - as AWS answers
        """Send a request, and return the response; None if AWS refuses it with an error code of `but`.

        Requests to S3 are for the bucket of the connection.

        Parameters
        ----------
        action : str
            Name as in IAM policies: ``ec2:RunInstances``.
        but : container of str
            Error codes that are not raised.
        where : str or None
            Place that error messages name; None for the region.
        operation : str or None
            boto3's name of the operation; None if it follows from the action.
        **request : object
            Parameters of the request.
        """
        in_bucket, response = action.startswith("s3:"), None
        with asking(action, where or (self.connection.bucket_region if in_bucket else self.region), but):
            client = self._client_of(action)
            if in_bucket:
                request["Bucket"] = self.connection.bucket
            response = getattr(client, operation or _operation_of(action))(**request)
        return response  # noqa: RET504 - None after an error code of `but`

    def entries(self, action: str, key: str, *, but: Container[str] = (), **request: object) -> Iterator[Any]:
        """Yield the entries of a list in the responses to a request, page by page.

        Parameters
        ----------
        action : str
            Name as in IAM policies: ``ec2:DescribeInstances``.
        key : str
            Name of the list in each response.
        but : container of str
            Error codes after which there are no more entries.
        **request : object
            Parameters of the request.
        """
        with asking(action, self.region, but):
            for page in self._client_of(action).get_paginator(_operation_of(action)).paginate(**request):
                yield from page[key]

    def ask_once(self, action: str, **request: object) -> Any:  # noqa: ANN401 - as AWS answers
        """Send a request that is not idempotent, without retries, and return the response."""
        with asking(action, self.region):
            session: Any = self._roles.assumed(self.connection).session
            settings = config(1).merge(_ONCE)
            client = session.create_client(_service_of(action), region_name=self.region, config=settings)
            return getattr(client, _operation_of(action))(**request)

    def bucket(self, lasts: timedelta = LEAST) -> Any:  # noqa: ANN401 - clients of all services
        """Return an S3 client for the region of the connection's bucket.

        Parameters
        ----------
        lasts : timedelta
            Minimum remaining lifetime of the credentials, which limits the lifetime of presigned URLs.
        """
        return self._client("s3", self.connection.bucket_region, lasts)

    def _client_of(self, action: str) -> Any:  # noqa: ANN401 - as above
        service = _service_of(action)
        return self.bucket() if service == "s3" else self._client(service, self.region, LEAST)

    def _client(self, service: str, region: str, lasts: timedelta) -> Any:  # noqa: ANN401 - as above
        assumed = self._roles.assumed(self.connection, lasts)
        if (service, region) not in assumed.clients:
            settings = config(_ATTEMPTS).merge(FILES) if service == "s3" else config(_ATTEMPTS)
            session: Any = assumed.session
            assumed.clients[service, region] = session.create_client(service, region_name=region, config=settings)
        return assumed.clients[service, region]

    def key(self, run: Run, name: str = "") -> str:
        """Return the S3 key of a file under a run's prefix."""
        return f"{self.connection.prefix}{run.id}/{name}"


def _service_of(action: str) -> str:
    service = action.partition(":")[0]
    return _SERVICES.get(service, service)


def _operation_of(action: str) -> str:
    return _OPERATIONS.get(action) or xform_name(action.partition(":")[2])
