"""EC2 instance metadata, read with a session token (IMDSv2)."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request

_SERVICE = "http://169.254.169.254"
_TOKEN_S = 21600
_MOST_BYTES = 1 << 16
# No proxy: it would return the metadata of its own machine.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Metadata:
    """Client of EC2's instance metadata service.

    Parameters
    ----------
    service : str or None
        Address of the service; None to use ``STOWAGE_AGENT_METADATA`` from the environment, or else EC2's address.
    timeout_s : float
        Timeout of one request [s]. A service that does not answer in time is considered missing.
    """

    def __init__(self, service: str | None = None, timeout_s: float = 2.0) -> None:
        self._service = (service or os.environ.get("STOWAGE_AGENT_METADATA") or _SERVICE).rstrip("/")
        self._timeout_s = timeout_s
        self._token: str | None = None

    def read(self, path: str) -> str | None:
        """Return the content of a path below ``/latest/meta-data/``.

        Returns
        -------
        str or None
            None if the path or the service does not exist.
        """
        for fresh in (False, True):
            try:
                if fresh or not self._token:
                    seconds = {"X-aws-ec2-metadata-token-ttl-seconds": str(_TOKEN_S)}
                    self._token = self._ask("PUT", "/latest/api/token", seconds)
                return self._ask("GET", f"/latest/meta-data/{path}", {"X-aws-ec2-metadata-token": self._token or ""})
            except urllib.error.HTTPError as refused:  # noqa: PERF203 - twice at most
                refused.close()
                # An expired token gives 401: retry once with a new token.
                if refused.code != 401 or fresh:
                    return None
            except (OSError, ValueError, http.client.HTTPException):
                return None
        return None

    def _ask(self, method: str, path: str, headers: dict[str, str]) -> str:
        request = urllib.request.Request(  # noqa: S310 - the address is EC2's, or the machine's own environment's
            self._service + path, method=method, headers=headers
        )
        with _OPENER.open(request, timeout=self._timeout_s) as answer:
            text: bytes = answer.read(_MOST_BYTES)
            return text.decode("utf-8", "replace").strip()

    @property
    def is_interrupted(self) -> bool:
        """Return whether EC2 has issued the two-minute interruption notice for this spot instance."""
        return self.read("spot/instance-action") is not None
