"""Checks of whether accounts are still valid at the OpenID provider (decision 0052).

The checks run in threads of their own, so no request waits for them.
"""

import logging
from datetime import datetime
from threading import BoundedSemaphore, Thread
from uuid import UUID

from stowage.features.teams.sign_in import provider_checks
from stowage.platform.access import Principal
from stowage.platform.database.database import Database
from stowage.platform.outside import Provider
from stowage.web.services import Services

_AT_ONCE = 2
"""Checks of one process at a time; beyond, the check is left to a later request."""

log = logging.getLogger(__name__)


class ProviderChecks:
    """Starter of threads that run due checks.

    A slow provider occupies only these threads, whose number is limited.
    """

    def __init__(self) -> None:
        self._slots = BoundedSemaphore(_AT_ONCE)

    def begin(self, services: Services, principal: Principal, now: datetime) -> None:
        """Start the check of a person's account if the check is due, without waiting for the result."""
        provider, due = services.provider, principal.provider_check_at
        if provider is None or due is None or due > now or not self._slots.acquire(blocking=False):
            return
        # A daemon thread does not delay the exit of the process; a check that is cut off is repeated later.
        thread = Thread(
            target=self._run,
            args=(services.gate, provider, principal.person_id, now),
            name="provider-check",
            daemon=True,
        )
        try:
            thread.start()
        except RuntimeError:
            self._slots.release()
            log.warning("no free thread to check an account with the provider; a later request retries")

    def _run(self, gate: Database, provider: Provider, person_id: UUID, now: datetime) -> None:
        try:
            provider_checks.check(gate, provider, person_id, now)
        except Exception:
            log.exception("cannot check an account with the provider; a later request retries")
        finally:
            self._slots.release()
