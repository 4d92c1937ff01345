"""Routes for the catalog and for saved views of it under /api/v1. Each route calls one use case.

Every response about the catalog has an ETag, which is computed from the digests of the data in the response. A request
with the same ETag in If-None-Match gets the status 304.
"""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Depends, Path, Query, Response

from stowage.features.calibration import team_knowledge
from stowage.features.calibration.team_knowledge import Own
from stowage.features.catalog import catalogs
from stowage.features.catalog.catalogs import Place
from stowage.features.explore import exploration, schemas, views
from stowage.model.money.price import Purchase
from stowage.web.admission import needs
from stowage.web.etags import Tag
from stowage.web.parameters import Cursor, OnceOnly, PageLimit, Renaming
from stowage.web.responses import CONFLICT, TEAM_REFUSALS
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["catalog"], responses=TEAM_REFUSALS)

Knowing = Annotated[TeamServices, needs("catalog.read")]
Writing = Annotated[TeamServices, needs("plans.write")]

_Named = Path(max_length=64, pattern=r"^[A-Za-z0-9._-]+$")
_REGION = "/catalogs/{version}/regions/{region}"


Version = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9._-]+$", description="Or `latest`.")]


def _place(
    services: Knowing,
    version: Version,
    region: Annotated[str, _Named],
) -> Place:
    return catalogs.find_place(services.database, version, region)


def _own(services: Knowing) -> Own:
    return team_knowledge.find_own(services.database, services.org_id)


Asked = Annotated[Place, Depends(_place)]
OfTeam = Annotated[Own, Depends(_own)]
Name = Annotated[str, _Named]
PaidAs = Annotated[Purchase, Query(description="Whose prices count.")]


@router.get("/catalogs")
def list_catalogs(
    services: Knowing,
    tag: Tag,
    limit: PageLimit = 50,
    cursor: Cursor = None,
) -> schemas.CatalogListAnswer:
    """List the versions of the catalog: first those of AWS, then those of other providers, each newest first.

    The first version of the list is `latest`.
    """
    versions = catalogs.list_versions(services.database)
    tag.rests_on(*(f"{row.version} {row.digest} {row.loaded_at.isoformat()}" for row in versions))
    return exploration.list_catalogs(services.database, versions, limit=limit, cursor=cursor)


@router.get("/catalogs/{version}/regions")
def read_catalog_regions(version: Version, services: Knowing, tag: Tag) -> schemas.CatalogRegionsAnswer:
    """Return what each region of a version sells, and its price level for a basket of instance types."""
    tag.rests_on(*exploration.regions_rest_on(services.database, version))
    return exploration.read_regions(services.database, version)


@router.get(_REGION)
def read_region(place: Asked, services: Knowing, tag: Tag) -> schemas.RegionAnswer:
    """Return the names of a region's instance and volume types."""
    tag.rests_on(*place.key)
    return exploration.read_region(services.database, place)


@router.get(f"{_REGION}/instance-types", response_model=schemas.InstanceTypeTable)
def read_instance_types(
    place: Asked,
    own: OfTeam,
    services: Knowing,
    tag: Tag,
    query: Annotated[schemas.TableQuery, Query()],
) -> Response:
    """Return a page of the table of a region's instance types.

    Rows in which the column to sort by has no value come last in ascending and in descending order.
    """
    tag.rests_on(*place.key, own.digest)
    table = exploration.read_table(services.database, place, query, own)
    # Serialized directly: FastAPI's own validation takes several times as long for the table of a whole region.
    return Response(table.model_dump_json(), media_type="application/json", headers=tag.headers)


@router.get(f"{_REGION}/instance-types/{{name}}")
def read_instance_type(
    place: Asked, own: OfTeam, name: Name, services: Knowing, tag: Tag
) -> schemas.InstanceTypeAnswer:
    """Return all figures of an instance type, each with its source."""
    tag.rests_on(*place.key, own.digest)
    return exploration.read_type(services.database, place, name, own)


@router.get(f"{_REGION}/instance-types/{{name}}/prices")
def read_prices(place: Asked, name: Name, services: Knowing, tag: Tag) -> schemas.PriceHistoryAnswer:
    """List the prices of an instance type in a region from all versions, oldest first."""
    tag.rests_on(*exploration.price_history_rests_on(services.database, place))
    return exploration.read_price_history(services.database, place, name)


@router.get(f"{_REGION}/volume-types")
def read_volume_types(place: Asked, own: OfTeam, services: Knowing, tag: Tag) -> schemas.VolumeTypesAnswer:
    """Return the EBS volume types of a region. If there are none, a note in the answer has the reason."""
    tag.rests_on(*place.key, own.digest)
    return exploration.read_volume_types(services.database, place, own)


@router.get(f"{_REGION}/difference")
def read_difference(
    place: Asked,
    services: Knowing,
    tag: Tag,
    since: Annotated[
        str, Query(max_length=64, pattern=r"^[A-Za-z0-9._-]+$", description="The version to compare with.")
    ],
    purchase: PaidAs = "on-demand",
) -> schemas.CatalogDifference:
    """Return the differences between a catalog version and an older version for one region."""
    older = exploration.find_older(services.database, place, since)
    tag.rests_on(*place.key, *older.key)
    return exploration.compare(services.database, older, place, purchase)


@router.get("/instance-views")
def list_instance_views(services: Knowing) -> schemas.ViewListAnswer:
    """List the team's saved views of the instance types, oldest first."""
    return views.list_views(services.database, services.org_id)


@router.post("/instance-views", status_code=201, responses=CONFLICT)
def save_instance_view(
    new: schemas.NewView, services: Writing, response: Response, key: OnceOnly = None
) -> schemas.ViewAnswer:
    """Save a view of the instance types for the team: filters, order, columns and axes under a name."""
    view = views.save_view(
        services.database,
        services.org_id,
        new,
        view_id=key or uuid4(),
        person=services.actor.name,
        now=datetime.now(UTC),
    )
    response.headers["Location"] = f"/api/v1/instance-views/{view.id}"
    return view


@router.patch("/instance-views/{view_id}")
def rename_instance_view(view_id: UUID, renaming: Renaming, services: Writing) -> schemas.ViewAnswer:
    """Rename a saved view."""
    return views.rename_view(services.database, services.org_id, view_id, renaming.name)


@router.delete("/instance-views/{view_id}", status_code=204)
def delete_instance_view(view_id: UUID, services: Writing) -> None:
    """Delete a saved view; it can be restored for 30 days, unless 50 others are deleted after it."""
    views.delete_view(services.database, services.org_id, view_id, datetime.now(UTC))


@router.post("/instance-views/{view_id}/restore", responses=CONFLICT)
def restore_instance_view(view_id: UUID, services: Writing) -> schemas.ViewAnswer:
    """Restore a deleted view."""
    return views.restore_view(services.database, services.org_id, view_id)
