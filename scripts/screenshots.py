"""Take the pictures in docs/screens from a running product: `make screenshots`."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SCREENS = ROOT / "docs" / "screens"
sys.path.insert(0, str(ROOT / "tests"))

from process import running  # noqa: E402 - the tests' way of starting the product serves here too

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SIZES = {360: 780, 1440: 900}
VIEWS = {
    "plan": "/?deadline=30+min&nodes=200",
    "details": "/?deadline=30+min&nodes=200",
    "bound": "/?network=unlimited&capacity=pooled",
    "nothing-fits": "/?deadline=1+min&nodes=200",
    "field-error": "/?data=100+TBB",
    "saved-plans": "/plans",
}


def show(page: Page, view: str) -> None:
    """Open a view and wait until it stands still."""
    page.goto(VIEWS[view])
    page.wait_for_load_state("networkidle")
    if view == "details":
        page.get_by_role("button", name=re.compile("Details of")).first.click()
    page.wait_for_timeout(800)


def take(browser: Browser, address: str) -> None:
    """Take every view at every size, dark and light."""
    for scheme in ("light", "dark"):
        for width, height in SIZES.items():
            context = browser.new_context(
                base_url=address,
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            page = context.new_page()
            for view in VIEWS:
                show(page, view)
                whole = view != "details"
                page.screenshot(path=SCREENS / f"{view}-{width}-{scheme}.png", full_page=whole)
            context.close()


def main() -> None:
    """Start the product on a state of its own, save two plans, take the pictures."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory(prefix="stowage-screens-") as home,
        running({"STOWAGE_HOME": home}) as up,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context(base_url=up.address)
        for name, data in (("Nightly sort", "100 TB"), ("Weekly archive", "40 TB")):
            context.request.post("/api/v1/plans", data={"workload": {"name": name, "data": data}})
        context.close()
        take(browser, up.address)
        browser.close()
    print(f"{len(VIEWS) * len(SIZES) * 2} pictures in docs/screens")


if __name__ == "__main__":
    main()
