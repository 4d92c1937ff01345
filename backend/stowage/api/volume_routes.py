"""The volume designer under /api/v1."""

from fastapi import APIRouter

from stowage.api.responses import NOT_ACCEPTED
from stowage.api.services import Outside
from stowage.usecases import volumes
from stowage.usecases.catalogues import stored_knowledge
from stowage.usecases.volume_answers import VolumeDesignAnswer
from stowage.usecases.volume_need import VolumeNeed

router = APIRouter()


@router.post("/volumes/design", responses=NOT_ACCEPTED, tags=["volumes"])
def design_volumes(need: VolumeNeed, services: Outside) -> VolumeDesignAnswer:
    """Find the cheapest volumes of each type that hold and carry what is asked. Nothing is stored."""
    return volumes.design_volumes(need, stored_knowledge(services.database))
