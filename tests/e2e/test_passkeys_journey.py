"""Passkeys with Chromium's virtual authenticator: added on the account page, used to sign in, removed."""

from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Page, expect

from browsing import reopened, violations, violations_in_soak
from people import new_planner
from stowage.platform.database.database import Database

PASSWORD = "marmot ladder quiet 71"  # noqa: S105 - of a test


@pytest.mark.soak("pages", every_day=True)
def test_a_passkey_is_added_used_and_removed(stranger: Page, service: str, gate: Database, org_id: UUID) -> None:
    email = f"{uuid4().hex}@example.org"
    new_planner(gate, org_id, email, PASSWORD)
    devices = stranger.context.new_cdp_session(stranger)
    devices.send("WebAuthn.enable")
    laptop = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    device = devices.send("WebAuthn.addVirtualAuthenticator", {"options": laptop})["authenticatorId"]
    # Browsers create no passkeys for IP addresses.
    here = service.replace("127.0.0.1", "localhost")
    try:
        _sign_in(stranger, f"{here}/settings/account", email)
        stranger.get_by_role("textbox", name="Name of a new passkey").fill("Laptop")
        stranger.get_by_role("button", name="Add a passkey").click()
        expect(stranger.get_by_text("Your recovery codes")).to_be_visible()
        expect(stranger.get_by_role("listitem").filter(has_text="Laptop")).to_contain_text("not used yet")
        assert violations(stranger) == []

        stranger.context.clear_cookies()
        _sign_in(stranger, f"{here}/settings/account", email)
        expect(stranger.get_by_role("heading", name="Second factor")).to_be_visible()
        assert violations_in_soak(stranger) == []
        stranger.get_by_role("button", name="Use a passkey").click()
        expect(stranger.get_by_role("listitem").filter(has_text="Laptop")).to_contain_text("last used")

        stranger.get_by_role("button", name="Remove the passkey Laptop").click()
        stranger.get_by_role("button", name="Remove", exact=True).click()
        expect(stranger.get_by_text("Not set up.")).to_be_visible()
    finally:
        devices.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": device})
        devices.detach()


def _sign_in(page: Page, address: str, email: str) -> None:
    reopened(page, address)
    page.get_by_role("textbox", name="E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
