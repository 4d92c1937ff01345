"""Types of fields that requests and stored documents share.

Pydantic checks them where a request or a stored document is parsed.
"""

from typing import Annotated

from pydantic import AfterValidator, Field

from stowage.model.units import printable

Key = Annotated[str, Field(max_length=64), AfterValidator(printable)]
"""Name in a catalog; printable, because the database would refuse other characters."""
Flag = Annotated[bool, Field(strict=True)]
