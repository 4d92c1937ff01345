"""Base classes of answers that are computed from one catalog version.

These answers state their catalog version, also under the old names of the fields.
"""

from collections.abc import Mapping
from datetime import date

from pydantic import GetJsonSchemaHandler, JsonValue, computed_field, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from stowage.model.money.price_terms import PriceTerms
from stowage.platform.described import Answer

OLD_NAMES: Mapping[str, str] = {"catalogue_version": "catalog_version", "catalogue_as_of": "catalog_as_of"}
"""Names of fields until November 2026 and today's: stored answers have them, and clients may still read them."""

DEPRECATED: dict[str, JsonValue] = {"deprecated": True}
"""Mark of an old name in the API's description. Pydantic's own mark would warn whenever an answer is serialized."""


class OfCatalog(Answer):
    """Base class of answers that state their catalog version."""

    catalog_version: str | None

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, given: object) -> object:
        if not isinstance(given, dict) or given.keys().isdisjoint(OLD_NAMES):
            return given
        old = {OLD_NAMES[name]: given[name] for name in OLD_NAMES if name in given}
        return old | {name: value for name, value in given.items() if name not in OLD_NAMES}

    @computed_field(json_schema_extra=DEPRECATED)  # type: ignore[prop-decorator]
    @property
    def catalogue_version(self) -> str | None:
        """Old name of `catalog_version`."""
        return self.catalog_version

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the fields with old names as optional in the JSON Schema."""
        found = super().__get_pydantic_json_schema__(schema, handler)
        described = handler.resolve_ref_schema(found)
        described["required"] = [name for name in described["required"] if name not in OLD_NAMES]
        return found


class TermsAnswer(Answer):
    """Price terms, i.e. discounts on published prices that all costs of an answer include."""

    words: str
    """Short description, to name beside a cost: `12% discount`."""
    details: str
    """Discounts by service."""
    since: date | None
    """Day on which the team set them; null if they were given with the question."""

    @classmethod
    def of(cls, terms: PriceTerms | None) -> "TermsAnswer | None":
        """Convert price terms; None stays None."""
        return None if terms is None else cls.from_fields(terms)


class OfVersions(OfCatalog):
    """Base class of answers that state all versions that they are computed from (`Knowledge.answer_fields`)."""

    catalog_version: str
    model_version: str
    profiles_digest: str
    price_terms: TermsAnswer | None = None
    """Discounts that all costs include; null for published prices."""


class OfDatedCatalog(OfCatalog):
    """Base class of answers that state their catalog version and its date."""

    catalog_as_of: date

    @computed_field(json_schema_extra=DEPRECATED)  # type: ignore[prop-decorator]
    @property
    def catalogue_as_of(self) -> date:
        """Old name of `catalog_as_of`."""
        return self.catalog_as_of
