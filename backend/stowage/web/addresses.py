"""Base URL of the page, for links that are mailed or shown."""

from fastapi import Request

from stowage.web.services import TeamServices


def page_address(request: Request, services: TeamServices) -> str:
    """Return the base URL of the page, without a trailing slash.

    It is the configured public URL, or else that of the request. The URL of the request can be trusted, because
    requests with other host names than the configured ones are refused (`stowage.api.app.create_app`).
    """
    return services.outside.public_url or str(request.base_url).rstrip("/")
