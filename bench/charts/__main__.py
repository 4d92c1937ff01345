"""Charts by Plotly and by the page's own SVG, in Chromium: first paint, frames of a drag, bytes. Prints a table.

It fetches Plotly, which the page does not use, into a temporary folder.
"""

import gzip
import platform
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.extend(map(str, (Path(__file__).resolve().parents[2] / "tests" / "support").iterdir()))

from browsing import FLAGS, find_browser

ROOT = Path(__file__).resolve().parents[2]
PLOTLY = "plotly.js-cartesian-dist-min@4.1.1"
REPEATS = 5
DRAWN = ("line", "scatter", "heat", "eight")
KINDS = {"plotly": "plotly.ts", "ours": "ours.tsx"}
PAGE = '<!doctype html><meta charset="utf-8"><body><script type="module" src="./{}"></script>'
VITE = """import react from "@vitejs/plugin-react";
export default {{
  plugins: [react()],
  resolve: {{ alias: {{ "@": "{src}" }} }},
  build: {{ rollupOptions: {{ input: {pages} }}, chunkSizeWarningLimit: 2000 }},
}};
"""

Results = dict[tuple[str, str], list[dict[str, Any]]]
"""Visits by what was drawn, and by what."""


class Silent(SimpleHTTPRequestHandler):
    """Server of files that logs no request."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def build(folder: Path) -> Path:
    """Build a page for each kind; return the folder of both."""
    for source in Path(__file__).parent.glob("*.ts*"):
        (folder / source.name).write_text(source.read_text())
    for kind, script in KINDS.items():
        (folder / f"{kind}.html").write_text(PAGE.format(script))
    frontend = ROOT / "frontend"
    pages = [f"{kind}.html" for kind in KINDS]
    (folder / "vite.config.mjs").write_text(VITE.format(src=frontend / "src", pages=pages))
    modules = folder / "node_modules"
    modules.mkdir()
    for installed in (frontend / "node_modules").iterdir():
        (modules / installed.name).symlink_to(installed)
    subprocess.run(["npm", "pack", "--silent", PLOTLY], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tgz")
    plotly = modules / PLOTLY.partition("@")[0]
    plotly.unlink(missing_ok=True)
    plotly.mkdir()
    subprocess.run(["tar", "xf", archive, "-C", plotly, "--strip-components=1"], check=True)
    subprocess.run(["npx", "vite", "build", "--logLevel", "error"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    return folder / "dist"


def bytes_of(dist: Path) -> dict[str, int]:
    """Return the bytes of each page's scripts, compressed [kB]."""
    scripts = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in (dist / "assets").glob("*.js")}
    pages = {kind: (dist / f"{kind}.html").read_text() for kind in KINDS}
    return {kind: sum(size for name, size in scripts.items() if name in page) // 1000 for kind, page in pages.items()}


def visit(browser: Browser, address: str) -> dict[str, Any]:
    """Open a page in a new context, without any cache, and return its times [ms]."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(address)
    page.wait_for_function("window.result", timeout=120_000)
    result: dict[str, Any] = page.evaluate("window.result")
    context.close()
    return result


def measured(browser: Browser, address: str) -> Results:
    """Open the pages in turn, so that a busy moment of the machine hits all."""
    results: Results = {}
    for _ in range(REPEATS):
        for what in DRAWN:
            for kind in KINDS:
                found = visit(browser, f"{address}/{kind}.html?draw={what}")
                results.setdefault((what, kind), []).append(found)
    return results


def row(what: str, kind: str, visits: list[dict[str, Any]]) -> str:
    """Format the medians of some visits as a row."""
    first = statistics.median(visit["first"] for visit in visits)
    drawing = statistics.median(visit["first"] - visit["begun"] for visit in visits)
    cells = [what, kind, f"{first:.0f}", f"{drawing:.0f}"]
    for drag in ("rule", "data"):
        frames = sorted(frame for visit in visits for frame in visit[drag])
        cells.append(f"{statistics.median(frames):.1f} ({frames[int(0.95 * len(frames))]:.1f})" if frames else "")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Build, measure, print."""
    with tempfile.TemporaryDirectory(prefix="stowage-charts-") as folder, sync_playwright() as playwright:
        dist = build(Path(folder))
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(dist))) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
            print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {platform.machine()}, Chromium {browser.version}")
            print("scripts, gzip [kB]:", bytes_of(dist))
            print(
                "| drawn | by | first paint [ms] | of it drawing | frame, line dragged (p95) | frame, new data (p95) |"
            )
            for (what, kind), visits in measured(browser, f"http://127.0.0.1:{server.server_port}").items():
                print(row(what, kind, visits))
            browser.close()
            server.shutdown()


if __name__ == "__main__":
    main()
