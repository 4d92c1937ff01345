import { currentTeam } from "@/api/team";
import { mayIn, type Permission, useSession } from "@/api/teams/session";

export interface PageOfBar {
  to: string;
  name: string;
  /** Purpose of the page; also matched by the search. */
  note: string;
  /** Required permission. */
  needs: Permission | null;
  /** True if the page is in the navigation bar. */
  inBar: boolean;
}

const PAGES: readonly PageOfBar[] = [
  { to: "/", name: "Plan", note: "rank configurations for a job", needs: "plans.ask", inBar: true },
  { to: "/explore", name: "Explore", note: "instance types, figures and prices", needs: "catalog.read", inBar: true },
  { to: "/volumes", name: "Volumes", note: "design EBS volumes for a load", needs: "catalog.read", inBar: true },
  {
    to: "/measurements",
    name: "Measurements",
    note: "what your benchmarks say",
    needs: "measurements.read",
    inBar: true,
  },
  {
    to: "/measurements/uploads",
    name: "Upload measurements",
    note: "files of benchmark output to look at and keep",
    needs: "measurements.write",
    inBar: false,
  },
  { to: "/runs", name: "Runs", note: "benchmarks in your AWS account, with a price", needs: "runs.read", inBar: true },
  { to: "/runs/new", name: "New run", note: "measure disks or network on EC2", needs: "runs.write", inBar: false },
  {
    to: "/runs/volumes",
    name: "Watched volumes",
    note: "throughput, queue and burst balance, by CloudWatch",
    needs: "runs.read",
    inBar: false,
  },
  {
    to: "/runs/accounts",
    name: "AWS accounts",
    note: "where runs happen: connect one, check its role",
    needs: "runs.read",
    inBar: false,
  },
  { to: "/reports", name: "Reports", note: "to be read, shared and printed", needs: "reports.read", inBar: true },
  { to: "/reports/new", name: "New report", note: "of a plan, a sweep or a run", needs: "reports.write", inBar: false },
  { to: "/plans", name: "Saved plans", note: "answers that were kept", needs: "plans.read", inBar: true },
  { to: "/sweeps", name: "Sweeps", note: "one workload over a grid", needs: "plans.read", inBar: true },
  { to: "/sweeps/new", name: "New sweep", note: "ask a workload many times", needs: "plans.write", inBar: false },
  {
    to: "/validation",
    name: "Validation",
    note: "the model against published figures",
    needs: "catalog.read",
    inBar: true,
  },
  { to: "/team", name: "Team", note: "members, roles and invitations", needs: "team.read", inBar: true },
  { to: "/team/audit-log", name: "Audit log", note: "who did what", needs: "audit.read", inBar: false },
  { to: "/account", name: "Account", note: "name, password and sessions", needs: null, inBar: false },
  { to: "/account/tokens", name: "Tokens", note: "let programs act for you", needs: "tokens.write", inBar: false },
];

/** Permissions of pages that always show the reader's own team, even from the example team. */
const OWN: ReadonlySet<Permission | null> = new Set([null, "team.read", "audit.read", "tokens.write"]);

export function ownPage(to: string): boolean {
  return PAGES.some((page) => page.to === to && OWN.has(page.needs));
}

/** Return the pages that the reader may open, in the team of the URL or their own. */
export function usePages(): PageOfBar[] {
  const session = useSession();
  const team = currentTeam();
  return PAGES.filter(({ needs }) => needs === null || mayIn(OWN.has(needs) ? "local" : team, session, needs));
}
