"""Make the files in docs/examples from the example team's report: `.venv/bin/python scripts/examples.py`.

It has a date of its own. What differs from one making to the next is the digest of the team's measurements, which names
when they were uploaded.
"""

import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"
sys.path.insert(0, str(ROOT / "tests"))
sys.path.extend(map(str, (ROOT / "tests" / "support").iterdir()))

from database import bare_postgres, opened  # noqa: E402 - the tests' way of starting servers serves here too
from stowage import example as demo  # noqa: E402 - as above
from stowage.cli.server.preparation import prepare_database  # noqa: E402 - as above
from stowage.documents.pdf import pdf  # noqa: E402 - as above
from stowage.documents.spreadsheet import workbook  # noqa: E402 - as above
from stowage.features.reports import reports  # noqa: E402 - as above
from stowage.platform.database.orgs import EXAMPLE_ORG_ID  # noqa: E402 - as above
from stowage.platform.jobs.embedded import embedded_redis  # noqa: E402 - as above
from stowage.platform.jobs.queue import Queue  # noqa: E402 - as above

NAME = "three-durability-models"
MADE_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


def main() -> None:
    """Load the example team into a server of its own, and write its report's files."""
    EXAMPLES.mkdir(exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="stowage-examples-")))
        urls = stack.enter_context(bare_postgres())
        prepare_database(urls.owner, urls.application, urls.gate)
        database = stack.enter_context(opened(urls.application))
        queue = stack.enter_context(Queue(stack.enter_context(embedded_redis(folder))))
        demo.load(database, queue, MADE_AT)
        published = reports.read_report(database, EXAMPLE_ORG_ID, demo.REPORT_ID).report
    report = replace(published, made_at=MADE_AT)
    for suffix, content in (("pdf", pdf(report, None)), ("xlsx", workbook(report))):
        path = EXAMPLES / f"{NAME}.{suffix}"
        path.write_bytes(content)
        print(f"{path.relative_to(ROOT)}: {len(content):,} bytes")


if __name__ == "__main__":
    main()
