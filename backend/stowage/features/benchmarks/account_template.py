"""CloudFormation template that connects an AWS account, filled in for one connection."""

import re
from functools import cache
from pathlib import Path
from uuid import UUID

import stowage

_IN_CHECKOUT, _INSIDE = Path("infra") / "connect-account.yaml", "connect-account.yaml"

# Values that need no escaping inside quotes in YAML.
_PLAIN = re.compile(r"[\w+=,.@:/-]{1,2048}", re.ASCII)


def filled(*, external_id: str, connection_id: UUID, principal_arn: str) -> str:
    """Return the CloudFormation template for one connected account.

    The values of the connection are the defaults of the template's parameters.

    Parameters
    ----------
    principal_arn : str
        ARN of the identity that will assume the role; if empty, the user enters it as a parameter of the stack.

    Raises
    ------
    ValueError
        A value contains a character that no id or ARN has.

    Examples
    --------
    >>> text = filled(external_id="x" * 43, connection_id=UUID(int=7), principal_arn="")
    >>> text.count("    Default: ") - filled(
    ...     external_id="x" * 43, connection_id=UUID(int=7), principal_arn="arn:aws:iam::123456789012:role/worker"
    ... ).count("    Default: ")
    -1
    """
    text = _template()
    given = {"ExternalId": external_id, "ConnectionId": str(connection_id), "PrincipalArn": principal_arn}
    for name, value in given.items():
        if not value:
            continue
        if not _PLAIN.fullmatch(value):
            raise ValueError(f"{name}: {value!r} is no id and no ARN")
        head = f"  {name}:\n    Type: String\n"
        before, found, after = text.partition(head)
        if not found:
            raise ValueError(f"the template has no parameter {name}")
        text = f'{before}{head}    Default: "{value}"\n{after}'
    return text


@cache
def _template() -> str:
    """Read the template text from the installed package, or from `infra` in a checkout."""
    package = Path(stowage.__file__).parent
    inside = package / _INSIDE
    return (inside if inside.is_file() else package.parents[1] / _IN_CHECKOUT).read_text()
