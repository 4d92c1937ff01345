"""Where people reach the page: what links begin with that are sent or handed over."""

from fastapi import Request

from stowage.web.services import TeamServices


def page_address(request: Request, services: TeamServices) -> str:
    """Give the address of the page, without a slash at its end.

    It is what whoever runs the service says it is. Where nobody says, the one that the request came to: no other host
    is answered than those that the service was given (`stowage.api.app.create_app`).
    """
    return services.outside.public_url or str(request.base_url).rstrip("/")
