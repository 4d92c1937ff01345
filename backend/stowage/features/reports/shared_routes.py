"""Routes for visitors of share links under /api/v1: the shared object, its files, and unlocking by password."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Request, Response

from stowage.features.planning import ranking
from stowage.features.planning.ranking import RankingAnswer
from stowage.features.planning.routes import OfRanking
from stowage.features.reports import links
from stowage.features.reports.file_routes import AS_FILE, file_response
from stowage.features.reports.link_answers import SharedAnswer, Unlocking
from stowage.features.reports.schemas import FileFormat
from stowage.web.admission import address_of, public
from stowage.web.cookies import UNLOCKED_LINK, refuse_open_line
from stowage.web.etags import Tag
from stowage.web.responses import CONFLICT, LOCKED, NOT_ACCEPTED, NOT_FOUND, TOO_MANY
from stowage.web.router import ApiRouter
from stowage.web.services import TeamServices

router = ApiRouter(tags=["links"], responses=NOT_FOUND | NOT_ACCEPTED | LOCKED)

Guest = Annotated[TeamServices, public("anyone with the link may see its object")]
LinkSecret = Annotated[str, Path(min_length=20, max_length=100, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/shared/{secret}")
def read_shared(secret: LinkSecret, request: Request, services: Guest) -> SharedAnswer:
    """Return the object that a share link shows, and count the view."""
    return links.open_link(services.gate, services.database, secret, datetime.now(UTC), UNLOCKED_LINK.read(request))


@router.post("/shared/{secret}/unlock", status_code=204, responses=TOO_MANY)
def unlock_shared(
    secret: LinkSecret, attempt: Unlocking, request: Request, services: Guest, response: Response
) -> None:
    """Unlock a share link with its password. This browser can then open the link for twelve hours."""
    refuse_open_line(request)
    unlocked = links.unlock(services.gate, secret, attempt.password, address_of(request), datetime.now(UTC))
    UNLOCKED_LINK.keep(request, response, unlocked.proof, unlocked.lasts_s, below=secret)


@router.get("/shared/{secret}/ranking")
def read_shared_ranking(
    secret: LinkSecret, request: Request, services: Guest, query: OfRanking, tag: Tag
) -> RankingAnswer:
    """Return a page of the whole ranking of a shared plan; this does not count as a view."""
    now, proof = datetime.now(UTC), UNLOCKED_LINK.read(request)
    whole = links.open_ranking(services.gate, services.database, secret, now, proof)
    tag.rests_on(*whole.key, whole.incomplete or "")
    return ranking.page_of(whole, query)


@router.get("/shared/{secret}/files/{format}", responses=AS_FILE | CONFLICT, response_class=Response)
def read_shared_file(
    secret: LinkSecret,
    file_format: Annotated[FileFormat, Path(alias="format")],
    request: Request,
    services: Guest,
    tag: Tag,
) -> Response:
    """Return a file of the report that a share link shows."""
    now, proof = datetime.now(UTC), UNLOCKED_LINK.read(request)
    ready = links.open_file(services.gate, services.database, secret, file_format, now, proof)
    tag.rests_on(ready.digest)
    return file_response(ready, tag)
