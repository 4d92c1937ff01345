// Places of the navigation bar and their pages.

import { currentTeam } from "@/api/team";
import { mayIn, type Permission, useSession } from "@/api/teams/session";

export const PLACES = ["Home", "Plans", "Catalog", "Benchmarks", "Reports", "Settings"] as const;
export type Place = (typeof PLACES)[number];

export interface Page {
  to: string;
  place: Place;
  /** Name in the search, which stands alone. */
  name: string;
  /** Purpose of the page; also matched by the search. */
  note: string;
  /** Required permission. */
  needs: Permission | null;
  /** Name in the tabs of its place; null if the page has no tab. */
  tab: string | null;
  /** Other words by which the search finds the page. */
  also?: string;
}

/** A part of a page that the search finds. */
export interface PageSection {
  /** Address of the page. */
  to: string;
  /** Id of the section's heading. */
  hash: string;
  name: string;
  note: string;
  /** Other words by which the search finds it. */
  also: string;
  needs: Permission;
}

const SECTIONS: readonly PageSection[] = [
  {
    to: "/settings/team",
    hash: "members",
    name: "Members",
    note: "who belongs to the team, with roles",
    also: "people users person permission rights remove",
    needs: "team.read",
  },
  {
    to: "/settings/team",
    hash: "invitations",
    name: "Invite a person",
    note: "by mail or by a link",
    also: "invitation add member user colleague join",
    needs: "team.write",
  },
  {
    to: "/settings/team",
    hash: "load",
    name: "Load",
    note: "how much background jobs of the team use",
    also: "busy cpu usage paused jobs capacity",
    needs: "team.read",
  },
  {
    to: "/settings/team",
    hash: "quotas",
    name: "Quotas",
    note: "limits of the team, and their use",
    also: "quota limit allowance storage maximum",
    needs: "team.read",
  },
];

/** Pages in the order of the tabs. The bar's link to a place leads to the first page that the reader may open. */
const PAGES: readonly Page[] = [
  { to: "/", place: "Home", name: "Home", note: "what changed, and what waits for you", needs: null, tab: "Home" },
  {
    to: "/plans/new",
    place: "Plans",
    name: "New plan",
    note: "rank configurations for a job",
    needs: "plans.ask",
    tab: "New plan",
  },
  {
    to: "/plans",
    place: "Plans",
    name: "Saved plans",
    note: "questions with their answers",
    needs: "plans.read",
    tab: "Saved plans",
  },
  {
    to: "/plans/scenarios",
    place: "Plans",
    name: "Scenarios",
    note: "sweeps: a workload over two variables",
    needs: "plans.read",
    tab: "Scenarios",
  },
  {
    to: "/plans/scenarios/new",
    place: "Plans",
    name: "New sweep",
    note: "compare scenarios over two variables",
    needs: "plans.write",
    tab: null,
  },
  {
    to: "/catalog/instances",
    place: "Catalog",
    name: "Instances",
    note: "instance types, figures and prices",
    needs: "catalog.read",
    tab: "Instances",
  },
  {
    to: "/catalog/volumes",
    place: "Catalog",
    name: "EBS volumes",
    note: "design EBS volumes for a load",
    needs: "catalog.read",
    tab: "EBS volumes",
  },
  {
    to: "/catalog/regions",
    place: "Catalog",
    name: "Regions",
    note: "price levels of regions, and what each sells",
    needs: "catalog.read",
    tab: "Regions",
  },
  {
    to: "/benchmarks",
    place: "Benchmarks",
    name: "Benchmark results",
    note: "measurements of your team",
    needs: "measurements.read",
    tab: "Results",
  },
  {
    to: "/benchmarks/runs",
    place: "Benchmarks",
    name: "Runs",
    note: "benchmarks in your AWS account, with a price",
    needs: "runs.read",
    tab: "Runs",
  },
  {
    to: "/benchmarks/runs/new",
    place: "Benchmarks",
    name: "New run",
    note: "measure disks or network on EC2",
    needs: "runs.write",
    tab: null,
  },
  {
    to: "/benchmarks/upload",
    place: "Benchmarks",
    name: "Upload benchmark results",
    note: "files of benchmark output to review and keep",
    needs: "measurements.write",
    tab: "Upload",
  },
  {
    to: "/benchmarks/monitored",
    place: "Benchmarks",
    name: "Monitored volumes",
    note: "throughput, queue and burst balance, by CloudWatch",
    needs: "runs.read",
    tab: "Monitored volumes",
  },
  {
    to: "/benchmarks/accuracy",
    place: "Benchmarks",
    name: "Model accuracy",
    note: "validation of the model against published results",
    needs: "catalog.read",
    tab: "Model accuracy",
  },
  {
    to: "/reports",
    place: "Reports",
    name: "Reports",
    note: "to be read, shared and printed",
    needs: "reports.read",
    tab: "Reports",
  },
  {
    to: "/reports/new",
    place: "Reports",
    name: "New report",
    note: "of a plan, a sweep or a run",
    needs: "reports.write",
    tab: null,
  },
  {
    to: "/settings/account",
    place: "Settings",
    name: "Account",
    note: "name, password and sessions",
    needs: null,
    tab: "Account",
    also: "password sign-in passkey second factor sessions e-mail sign out",
  },
  {
    to: "/settings/team",
    place: "Settings",
    name: "Team",
    note: "members, roles and invitations",
    needs: "team.read",
    tab: "Team",
    also: "people users rename delete leave",
  },
  {
    to: "/settings/price-terms",
    place: "Settings",
    name: "Price terms",
    note: "discounts on published prices",
    needs: "team.read",
    tab: "Price terms",
    also: "discount savings plan edp negotiated",
  },
  {
    to: "/settings/units",
    place: "Settings",
    name: "Units and currency",
    note: "sums also in your currency, units of sizes and rates",
    needs: "team.read",
    tab: "Units and currency",
    also: "currency euro dollar exchange rate units gb gib",
  },
  {
    to: "/settings/aws-accounts",
    place: "Settings",
    name: "AWS accounts",
    note: "connect the account that runs benchmarks, check its role",
    needs: "runs.read",
    tab: "AWS accounts",
    also: "connect role monthly limit budget spending",
  },
  {
    to: "/settings/tokens",
    place: "Settings",
    name: "Tokens",
    note: "let programs act for you",
    needs: "tokens.write",
    tab: "Tokens",
    also: "api key access credential program",
  },
  {
    to: "/settings/alerts",
    place: "Settings",
    name: "Alerts",
    note: "notifications by mail and webhook",
    needs: "team.read",
    tab: "Alerts",
    also: "notify notification mail e-mail webhook slack",
  },
  {
    to: "/settings/audit-log",
    place: "Settings",
    name: "Audit log",
    note: "who did what",
    needs: "audit.read",
    tab: "Audit log",
    also: "history events log who",
  },
];

/** Check if a page always shows the reader's own team, even from the example team. */
export function ownPage(to: string): boolean {
  return PAGES.some((page) => page.to === to && page.place === "Settings");
}

/** Return the pages that the reader may open, in the team of the URL or their own. */
export function usePages(): Page[] {
  const session = useSession();
  const team = currentTeam();
  return PAGES.filter(({ to, needs }) => needs === null || mayIn(ownPage(to) ? "local" : team, session, needs));
}

/** Return the parts of pages that the reader may open; all are of settings, in the reader's own team. */
export function useSections(): PageSection[] {
  const session = useSession();
  return SECTIONS.filter(({ needs }) => mayIn("local", session, needs));
}

/** Pages without a tab of their own whose addresses are not below that of their tab. */
const BESIDE: Readonly<Record<string, string>> = { "/plans/outlook": "/plans/new" };

/** Return the page whose tab stands for an address: that of `/plans` for `/plans/3f2a`; undefined outside all places. */
export function tabOf(pathname: string): Page | undefined {
  const path = BESIDE[pathname] ?? pathname;
  return PAGES.filter(({ to, tab }) => tab !== null && (path === to || path.startsWith(`${to}/`))).sort(
    // The most specific one.
    (a, b) => b.to.length - a.to.length,
  )[0];
}
