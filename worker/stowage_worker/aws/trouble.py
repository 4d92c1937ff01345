"""AWS errors and their meaning for a run: kind, message and remedy."""

from collections.abc import Container, Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, CredentialRetrievalError, NoCredentialsError
from botocore.parsers import ResponseParserError

from stowage.runs.observation import CloudError, TroubleKind
from stowage_worker.aws.session import DENIED, OVER, THROTTLED, UNKNOWN, let_pass

GUIDE = "docs/guides/accounts.md"

DRY = "DryRunOperation"
"""Error code of EC2 for a dry run that would have succeeded."""

WRITTEN_BEFORE = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
"""Error codes of S3 if a conditional write finds an existing file."""

CAPACITY = frozenset(
    {
        "InsufficientInstanceCapacity",
        "InsufficientHostCapacity",
        "InsufficientReservedInstanceCapacity",
        "InsufficientCapacity",
        "InsufficientAddressCapacity",
        "InsufficientFreeAddressesInSubnet",
        "InsufficientVolumeCapacity",
        "SpotMaxPriceTooLow",
        "Unsupported",
    }
)
"""AWS has no capacity in the zone or does not offer the type there: another zone may work."""

QUOTA = frozenset(
    {
        "InstanceLimitExceeded",
        "VcpuLimitExceeded",
        "MaxSpotInstanceCountExceeded",
        "VolumeLimitExceeded",
        "MaxIOPSLimitExceeded",
        "SecurityGroupLimitExceeded",
        "SecurityGroupsPerInstanceLimitExceeded",
        "PlacementGroupLimitExceeded",
        "NetworkInterfaceLimitExceeded",
        "ResourceLimitExceeded",
        "LimitExceededException",
        "PendingVerification",
    }
)
_NOT_ENABLED = UNKNOWN | {"OptInRequired", "RegionDisabledException"}
_REFUSED = DENIED | _NOT_ENABLED | OVER | {"AccountDisabled", "Blocked", "InvalidAccessKeyId", "403"}
_BROKEN = frozenset(
    {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "InternalServerException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Unavailable",
        "ServerInternal",
        "RequestTimeout",
        "RequestTimeoutException",
        # Eventual consistency: a new group is not visible everywhere yet.
        "InvalidGroup.NotFound",
        "InvalidPlacementGroup.Unknown",
    }
)

_KINDS: tuple[tuple[TroubleKind, frozenset[str]], ...] = (
    ("throttled", THROTTLED),
    ("capacity", CAPACITY),
    ("quota", QUOTA),
    ("denied", _REFUSED),
    ("unreachable", _BROKEN),
)


def code_of(error: ClientError) -> str:
    """Return the AWS code of an error: ``UnauthorizedOperation``."""
    return error.response["Error"].get("Code", "?")


@contextmanager
def asking(action: str, region: str, but: Container[str] = ()) -> Iterator[None]:
    """Convert exceptions of botocore in the block to `CloudError`.

    Parameters
    ----------
    action : str
        Name as in IAM policies: ``ec2:RunInstances``.
    region : str
    but : container of str
        Error codes that are not raised.
    """
    try:
        yield
    except ClientError as error:
        if code_of(error) not in but:
            raise cloud_error(error, action, region) from error
    except (BotoCoreError, ResponseParserError) as error:
        let_pass(error)
        if isinstance(error, NoCredentialsError | CredentialRetrievalError):
            words = f"Stowage's own AWS credentials were not found, so that no role can be assumed: {error}"
            raise CloudError("denied", f"{words} {GUIDE} tells what its operator has to do.") from error
        raise CloudError("unreachable", f"AWS was not reached for {action} in {region}: {error}") from error


def cloud_error(error: ClientError, action: str, region: str) -> CloudError:
    """Convert an AWS error to a `CloudError`.

    Parameters
    ----------
    error : ClientError
    action, region : str
        Action and region of the request.
    """
    code, said = code_of(error), error.response["Error"].get("Message", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    kind = kind_of(code, status)
    if kind == "throttled":
        return CloudError(kind, f"AWS throttles {action} in {region}; it is asked again. AWS said: {said}")
    if kind == "unreachable":
        return CloudError(kind, f"AWS could not answer {action} in {region} ({code}); it is asked again: {said}")
    if kind == "capacity":
        lacks = "does not have it in that zone" if code == "Unsupported" else "has no room for it"
        return CloudError(kind, f"AWS {lacks} in {region}, {action}: {code}: {said}")
    if kind == "quota":
        return CloudError(
            kind, f"The account may not have more in {region} ({code}): ask AWS to raise its quota. AWS said: {said}"
        )
    if kind == "denied" and code in OVER:
        return CloudError(kind, f"The role's credentials have ended, or a clock is wrong ({action}, {region}): {said}")
    if action == "sts:AssumeRole" and code in _NOT_ENABLED:
        return CloudError(
            kind,
            f"STS in {region} does not take Stowage's own credentials ({code}): a region that has to be enabled has to "
            f"be so for Stowage's own account too. {GUIDE} tells more. AWS said: {said}",
        )
    if kind == "denied":
        return CloudError(
            kind,
            f"The role may not call {action} in {region} ({code}): is it still there, with the template's newest "
            f"policy, and is the region enabled? {GUIDE} tells more. AWS said: {said}",
        )
    return CloudError(kind, f"AWS does not take {action} in {region}: {code}: {said}")


def kind_of(code: str, status: int = 400) -> TroubleKind:
    """Return the kind of trouble for an AWS error code.

    Examples
    --------
    >>> kind_of("InsufficientInstanceCapacity"), kind_of("VcpuLimitExceeded"), kind_of("RequestLimitExceeded")
    ('capacity', 'quota', 'throttled')
    """
    known = next((kind for kind, codes in _KINDS if code in codes), None)
    return known or ("unreachable" if status >= 500 else "invalid")
