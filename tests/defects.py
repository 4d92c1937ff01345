"""Defects that the tests must find: `python tests/defects.py apply 1-5` puts some into the working tree.

A mutation check: apply five at a time, in different folders, then run the everyday tests; the failing tests name the
defect. docs/mutation.md lists which test found which. If the lines of a defect have moved, update the defect.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Defect:
    """One wrong line."""

    what: str
    file: str
    right: str
    """Text that stands in the file exactly once."""
    wrong: str
    """Replacement of `right`."""


MODEL, API = "backend/stowage/model", "backend/stowage/api"
KERNEL = "backend/stowage/optimizer/csrc/phases.h"

DEFECTS = (
    Defect(
        "kernel: off by one in how many volumes work for the streams of a log",
        KERNEL,
        "double busy = q->streams > 0.0 ? q->streams / (q->streams + volumes - 1.0) : 1.0;",
        "double busy = q->streams > 0.0 ? q->streams / (q->streams + volumes) : 1.0;",
    ),
    Defect(
        "measure: TestDFSIO's MiB taken for MB",
        "backend/stowage/measure/tools/testdfsio.py",
        "total * MB_PER_MIB / time_s",
        "total / time_s",
    ),
    Defect(
        "store: jobs and sweeps are shown to every team",
        "migrations/versions/0002_jobs_sweeps.py",
        "CREATE POLICY tenant ON {table} USING (org_id = {_TENANT})",
        "CREATE POLICY tenant ON {table} USING (true)",
    ),
    Defect(
        "api: members may do what only owners may do to a team",
        "backend/stowage/features/teams/routes.py",
        'Owning = Annotated[TeamServices, needs("team.write")]',
        'Owning = Annotated[TeamServices, needs("team.read")]',
    ),
    Defect(
        "runs: volumes that outlive their nodes are not deleted",
        "backend/stowage/runs/teardown.py",
        "    if seen.volumes:\n        actions.append(DeleteVolumes(seen.volumes))\n",
        "",
    ),
    Defect(
        "model: a shuffle sends all its bytes over the network, not (n-1)/n",
        f"{MODEL}/jobs/flows.py",
        "else (self.count - 1.0) / self.count",
        "else smaller(self.count - 1.0, 1.0)",
    ),
    Defect(
        "kernel: late volumes burst as if all were on time",
        KERNEL,
        "    all->peak_io = all->peak_io / late;\n",
        "",
    ),
    Defect(
        "jobs: the heartbeat of a part that takes long is lost",
        "backend/stowage/platform/jobs/jobs.py",
        "        lambda connection: store.advance(connection, claimed.claim, 0),\n",
        "        lambda connection: None,\n",
    ),
    Defect(
        "documents: text becomes a formula in a spreadsheet",
        "backend/stowage/documents/table_file.py",
        '    return "".join(marked)\n',
        "    return text\n",
    ),
    Defect(
        "worker: only the first kind of resource that a launch makes carries the tags",
        "worker/stowage_worker/aws/launching.py",
        'request["TagSpecifications"] = tagged(types, listed)',
        'request["TagSpecifications"] = tagged(types[:1], listed)',
    ),
    Defect(
        "model: less than a minute is billed as it is",
        f"{MODEL}/money/terms.py",
        '"billed_s": Line("max(work_s + launch_s, minimum_billed_s)", "s")',
        '"billed_s": Line("work_s + launch_s", "s")',
    ),
    Defect(
        "store: a part that is worked on is taken from who works on it",
        "backend/stowage/platform/jobs/store.py",
        'or_(job_part.c.state == "queued", and_(job_part.c.state == "running", silent))',
        'or_(job_part.c.state == "queued", job_part.c.state == "running")',
    ),
    Defect(
        "api: scripts of a page can read the session's cookie",
        "backend/stowage/web/cookies.py",
        "            httponly=True,\n            samesite=self.same_site,\n        )\n\n    def drop",
        "            httponly=False,\n            samesite=self.same_site,\n        )\n\n    def drop",
    ),
    Defect(
        "page: an hour and a half is read as an hour",
        "frontend/src/lib/amounts.ts",
        "    seconds += numberIn(amount)",
        "    seconds ||= numberIn(amount)",
    ),
    Defect(
        "catalog: prices of a region that jump to a hundredfold are believed",
        "backend/stowage/catalog/sanity.py",
        "_JUMP = 3.0\n",
        "_JUMP = 300.0\n",
    ),
    Defect(
        "model: IOPS that a volume includes are paid for",
        f"{MODEL}/money/price.py",
        "tiered(_beyond(iops, prices.included_iops), prices.iops_month)",
        "tiered(iops, prices.iops_month)",
    ),
    Defect(
        "model: p10 and p90 are the quantiles of 5% and 95%",
        f"{MODEL}/uncertainty/range.py",
        "    factor = exp_of(Z90 * log_deviation)\n    return Quantiles(",
        "    factor = exp_of(1.645 * log_deviation)\n    return Quantiles(",
    ),
    Defect(
        "processes: two services work on one state folder",
        "backend/stowage/processes/state.py",
        "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)",
    ),
    Defect(
        "store: a token that has expired still lets in",
        "migrations/versions/0037_callers.py",
        "api_token.revoked_at IS NULL AND api_token.expires_at > at;",
        "api_token.revoked_at IS NULL;",
    ),
    Defect(
        "model: the failed unit takes part in its own repair",
        f"{MODEL}/loss/durability.py",
        "copied = (units - 1) * survivor_mb_per_s",
        "copied = units * survivor_mb_per_s",
    ),
)


def main(arguments: list[str]) -> int:
    """List the defects, or apply those from the first number to the last: ``apply 1-5``."""
    if arguments[:1] == ["apply"]:
        first, _, last = arguments[1].partition("-")
        for defect in DEFECTS[int(first) - 1 : int(last or first)]:
            path = ROOT / defect.file
            text = path.read_text()
            if text.count(defect.right) != 1:
                raise SystemExit(f"{defect.file}: the right line is not there exactly once: {defect.what}")
            path.write_text(text.replace(defect.right, defect.wrong))
    for number, defect in enumerate(DEFECTS, start=1):
        print(f"{number:>2}  {defect.what} ({defect.file})")  # noqa: T201 - a command
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
