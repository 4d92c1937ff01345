import logging
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from stowage.api.admission import needs, public
from stowage.api.services import TeamServices

router = APIRouter()
log = logging.getLogger(__name__)
Reading = Annotated[TeamServices, needs("plans.read")]


# ruleid: route-without-declaration
@router.get("/plans")
def list_plans(limit: int = 50):
    return limit


# ruleid: route-without-declaration
@router.post("/plans", status_code=201)
async def save_plan(file: dict) -> dict:
    return file


# ok: route-without-declaration
@router.get("/sweeps")
def list_sweeps(services: Reading, limit: int = 50):
    return services, limit


# ok: route-without-declaration
@router.get("/validation")
def read_validation(_services: Reading):
    return None


# ok: route-without-declaration
@router.get("/health", dependencies=[public("probes sign in nowhere")])
async def health():
    return "ok"


def sign_in(response: Response, secret):
    # ruleid: cookie-made-by-hand
    response.set_cookie("session", secret)
    # ruleid: cookie-made-by-hand
    response.headers["Set-Cookie"] = f"session={secret}"
    # ok: cookie-made-by-hand
    response.headers["Location"] = "/"


def back(request):
    # ruleid: redirect-to-what-was-sent
    return RedirectResponse(request.query_params["next"])


def elsewhere(request, response):
    # ruleid: redirect-to-what-was-sent
    response.headers["Location"] = request.query_params["next"]
    # ok: redirect-to-what-was-sent
    response.headers["Location"] = "/api/v1/plans"


def tell(request, password, body, name):
    # ruleid: body-or-header-in-a-log
    log.info("refused %s", password)
    # ruleid: body-or-header-in-a-log
    log.warning("body: %s", body)
    # ruleid: body-or-header-in-a-log
    log.error("headers: %s", request.headers)
    # ok: body-or-header-in-a-log
    log.info("refused %s", name)
