"""Price of moving data from one AWS region to another, once."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from stowage.model.money.price import MB_PER_BILLED_GB

SOURCE: Final = (
    "AWS price list, offer AWSDataTransfer, transfer type InterRegion Outbound, by source region, as Infracost's test "
    "data_transfer_test.golden states it (commit 01c59b17); taken over on this day"
)
AS_OF: Final = date(2026, 11, 28)

OUT_USD_PER_GB: Final[Mapping[str, float]] = {
    "af-south-1": 0.147,
    "ap-east-1": 0.09,
    "ap-northeast-1": 0.09,
    "ap-northeast-2": 0.08,
    "ap-northeast-3": 0.09,
    "ap-south-1": 0.086,
    "ap-south-2": 0.086,
    "ap-southeast-1": 0.09,
    "ap-southeast-2": 0.098,
    "ca-central-1": 0.02,
    "ca-west-1": 0.02,
    "eu-central-1": 0.02,
    "eu-north-1": 0.02,
    "eu-south-1": 0.02,
    "eu-west-1": 0.02,
    "eu-west-2": 0.02,
    "eu-west-3": 0.02,
    "il-central-1": 0.08,
    "me-south-1": 0.1105,
    "sa-east-1": 0.138,
    "us-east-1": 0.02,
    "us-east-2": 0.02,
    "us-gov-east-1": 0.03,
    "us-gov-west-1": 0.03,
    "us-west-1": 0.02,
    "us-west-2": 0.02,
}
"""Price of data that leaves a region for another one [USD/GB]; data that arrives is free. Regions without a published
price are left out."""

US_EAST: Final = ("us-east-1", "us-east-2")
US_EAST_USD_PER_GB: Final = 0.01
"""Price between the two regions in the east of the US [USD/GB]."""


def move_usd(data_mb: float, origin: str, destination: str) -> float | None:
    """Compute the price of moving data from one region to another.

    Parameters
    ----------
    data_mb : float
        Data to move, 0 or more [MB].
    origin, destination : str
        Names of AWS regions.

    Returns
    -------
    float or None
        Price [USD]; 0 within a region. None if the price out of the region is unknown, or if one of the two is in AWS
        GovCloud, which has accounts of its own.

    Examples
    --------
    >>> round(move_usd(1000.0 * MB_PER_BILLED_GB, "us-east-1", "eu-west-1"), 9)
    20.0
    >>> round(move_usd(1000.0 * MB_PER_BILLED_GB, "us-east-1", "us-east-2"), 9)
    10.0
    >>> move_usd(1000.0, "us-east-1", "us-gov-west-1") is None
    True
    """
    if origin == destination or data_mb == 0.0:
        return 0.0
    if origin.startswith("us-gov-") != destination.startswith("us-gov-"):
        return None
    among_east = origin in US_EAST and destination in US_EAST
    usd_per_gb = US_EAST_USD_PER_GB if among_east else OUT_USD_PER_GB.get(origin)
    return None if usd_per_gb is None else data_mb / MB_PER_BILLED_GB * usd_per_gb
