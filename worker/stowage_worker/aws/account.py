"""boto3 clients for one region of a connected account, with the role's temporary credentials."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, cast

from botocore.config import Config

from stowage.features.benchmarks.cloud import Connection
from stowage.runs.run import Run
from stowage_worker.aws.roles import LEAST, Roles
from stowage_worker.aws.session import config

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client

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

Service = Literal["ec2", "s3", "ssm", "sts", "cloudwatch", "emr", "service-quotas"]


class Account:
    """Clients for one region of a connected account.

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

    @property
    def ec2(self) -> "EC2Client":
        """Return an EC2 client for the region."""
        return cast("EC2Client", self.client("ec2"))

    def client(self, service: Service) -> Any:  # noqa: ANN401 - stubs are installed for EC2 alone
        """Return a client for the region."""
        return self._client(service, self.region, LEAST)

    def once(self, service: Service) -> Any:  # noqa: ANN401 - as above
        """Return a client that never retries, for requests that are not idempotent."""
        assumed = self._roles.assumed(self.connection)
        settings = config(1).merge(_ONCE)
        return assumed.session.client(service, region_name=self.region, config=settings)

    def bucket(self, lasts: timedelta = LEAST) -> Any:  # noqa: ANN401 - as above
        """Return an S3 client for the region of the connection's bucket.

        Parameters
        ----------
        lasts : timedelta
            Minimum remaining lifetime of the credentials, which limits the lifetime of presigned URLs.
        """
        return self._client("s3", self.connection.bucket_region, lasts)

    def _client(self, service: Service, region: str, lasts: timedelta) -> Any:  # noqa: ANN401 - as above
        assumed = self._roles.assumed(self.connection, lasts)
        if (service, region) not in assumed.clients:
            settings = config(_ATTEMPTS).merge(FILES) if service == "s3" else config(_ATTEMPTS)
            assumed.clients[service, region] = assumed.session.client(service, region_name=region, config=settings)
        return assumed.clients[service, region]

    def key(self, run: Run, name: str = "") -> str:
        """Return the S3 key of a file under a run's prefix."""
        return f"{self.connection.prefix}{run.id}/{name}"
