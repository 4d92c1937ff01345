"""Settings of AWS clients: credentials, timeouts, retries and error messages."""

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)
from botocore.session import Session as Chain
from celery.exceptions import SoftTimeLimitExceeded

ATTEMPTS = 4
"""Attempts per request in botocore's adaptive mode, with pauses of up to 1, 2 and 4 s, and after throttling up to 2 s
before each."""

_CONNECT_S, _READ_S = 5, 10

ASK_AGAIN_FOR_S = 10.0
"""Time after the first request for a page during which a broken response is requested again [s]."""

LONGEST_PAGE_S = ASK_AGAIN_FOR_S + ATTEMPTS * (_CONNECT_S + _READ_S) + (1 + 2 + 4) + ATTEMPTS * 2
"""10 + 4 x (5 + 10) + 7 + 8 = 85 s: longest time for a page if AWS does not respond. A slow response
may take longer, until the part's time limit."""

POLICY = "infra/iam/catalog-refresh.json"

_NO_CREDENTIALS = (
    NoCredentialsError,
    PartialCredentialsError,
    CredentialRetrievalError,
    ProfileNotFound,
    TokenRetrievalError,
)
THROTTLED = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestThrottled",
        "RequestThrottledException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "SlowDown",
    }
)
DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})
UNKNOWN = frozenset({"AuthFailure", "UnrecognizedClientException", "InvalidClientTokenId", "SignatureDoesNotMatch"})
OVER = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})

NETWORK_METADATA = ("iam-role", "container-role")
"""Credential sources that need a network request; `has_credentials` skips them."""


def config(attempts: int = ATTEMPTS) -> Config:
    """Return the timeouts and retries of clients."""
    return Config(
        retries={"mode": "adaptive", "total_max_attempts": attempts},
        connect_timeout=_CONNECT_S,
        read_timeout=_READ_S,
        user_agent_extra="stowage",
    )


def let_pass(error: BaseException) -> None:
    """Raise the task's time-limit error if it is the cause of a botocore error.

    Botocore may wrap the time-limit error, which would then be treated as an error of AWS.
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, SoftTimeLimitExceeded):
            raise cause
        cause = cause.__cause__ or cause.__context__


def has_credentials() -> bool:
    """Return whether boto3's chain finds credentials on this machine, without network requests."""
    try:
        chain = Chain()
        resolver = chain.get_component("credential_provider")
        for name in NETWORK_METADATA:
            resolver.remove(name)
        return resolver.load_credentials() is not None
    except BotoCoreError:
        return False


def in_words(error: Exception, action: str, region: str, attempts: int) -> str:
    """Return a message about an AWS error, with its remedy.

    Parameters
    ----------
    error : Exception
        Exception of botocore.
    action : str
        Name as in IAM policies: ``ec2:DescribeInstanceTypes``.
    region : str
        Region of the request.
    attempts : int
        Number of attempts made.
    """
    if isinstance(error, _NO_CREDENTIALS):
        return f"There are no AWS credentials: {error}. docs/guides/refresh.md tells where they are looked for."
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError):
        return f"AWS was not reached for {action} in {region}: {error}"
    if not isinstance(error, ClientError):
        return f"The connection to AWS broke {attempts} times during {action} in {region}: {error}"
    code, said = error.response["Error"].get("Code", "?"), error.response["Error"].get("Message", "")
    if code in THROTTLED:
        return (
            f"AWS kept throttling {action} in {region} ({attempts} attempts): {said} "
            "What was read is kept; try again in a while."
        )
    if code in DENIED:
        return f"The AWS credentials may not call {action} in {region}: attach the policy {POLICY}. AWS said: {said}"
    if code == "OptInRequired":
        return f"The region {region} is not enabled for the AWS account: enable it, or leave it out. AWS said: {said}"
    if code in UNKNOWN:
        return (
            f"AWS does not accept the credentials in {region} ({action}): they are wrong, or the region is not enabled "
            f"for the account. AWS said: {said}"
        )
    if code in OVER:
        return f"The AWS credentials have expired, or this machine's clock is wrong ({action} in {region}): {said}"
    return f"AWS refused {action} in {region}: {code}: {said}"
