import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { teamFrom } from "@/api/team";
import { exploreSearchFrom } from "@/features/explore/search";
import { measurementsSearchFrom } from "@/features/measurements/search";
import { outlookSearchFrom } from "@/features/outlook/search";
import { savedViewFrom } from "@/features/plan/address/view";
import { searchFrom } from "@/features/plan/workload/choice";
import { compareReportsSearchFrom, newReportSearchFrom } from "@/features/reports/search";
import { newRunSearchFrom } from "@/features/runs/newRun/question";
import { accountsSearchFrom, compareSearchFrom, runSearchFrom, runsSearchFrom } from "@/features/runs/search";
import { sweepSearchFrom } from "@/features/sweeps/search";
import { validationSearchFrom } from "@/features/validation/search";
import { volumesSearchFrom } from "@/features/volumes/search";
import { watchesSearchFrom, watchSearchFrom } from "@/features/watches/search";
import { wordsSearchFrom } from "@/lib/wordsSearch";
import { ErrorPage } from "./layout/ErrorPage";
import { NotFound } from "./layout/NotFound";
import { RootLayout } from "./layout/RootLayout";
import { PlanRoute } from "./plan/PlanRoute";
import { SignInRoute } from "./session/SignInRoute";
import { newSweepSearchFrom } from "./sweeps/newSweepSearch";

/** Search parameters of all pages: the displayed team. */
interface RootSearch {
  team?: "example";
}

const root = createRootRoute({
  component: RootLayout,
  notFoundComponent: () => <NotFound />,
  validateSearch: (raw: Record<string, unknown>): RootSearch =>
    teamFrom(raw["team"]) === "example" ? { team: "example" } : {},
  // Links keep the team unless they set another one.
  search: { middlewares: [retainSearchParams<RootSearch>(["team"])] },
});

/** Return where a page is: its path below the root. */
function at<const Path extends string>(path: Path) {
  return { getParentRoute: () => root, path };
}

export const planRoute = createRoute({
  ...at("/"),
  validateSearch: searchFrom,
  component: PlanRoute,
});

export const outlookRoute = createRoute({
  ...at("/outlook"),
  validateSearch: outlookSearchFrom,
  component: lazyRouteComponent(() => import("./plan/OutlookRoute"), "OutlookRoute"),
});

export const plansRoute = createRoute({
  ...at("/plans"),
  validateSearch: wordsSearchFrom,
  component: lazyRouteComponent(() => import("./plan/PlansRoute"), "PlansRoute"),
});

export const savedPlanRoute = createRoute({
  ...at("/plans/$planId"),
  validateSearch: savedViewFrom,
  component: lazyRouteComponent(() => import("./plan/SavedPlanRoute"), "SavedPlanRoute"),
});

export const sweepsRoute = createRoute({
  ...at("/sweeps"),
  component: lazyRouteComponent(() => import("./sweeps/SweepsRoute"), "SweepsRoute"),
});

export const newSweepRoute = createRoute({
  ...at("/sweeps/new"),
  validateSearch: newSweepSearchFrom,
  component: lazyRouteComponent(() => import("./sweeps/NewSweepRoute"), "NewSweepRoute"),
});

export const sweepRoute = createRoute({
  ...at("/sweeps/$sweepId"),
  validateSearch: sweepSearchFrom,
  component: lazyRouteComponent(() => import("./sweeps/SweepRoute"), "SweepRoute"),
});

export const validationRoute = createRoute({
  ...at("/validation"),
  validateSearch: validationSearchFrom,
  component: lazyRouteComponent(() => import("./validation/ValidationRoute"), "ValidationRoute"),
});

export const exploreRoute = createRoute({
  ...at("/explore"),
  validateSearch: exploreSearchFrom,
  component: lazyRouteComponent(() => import("./explore/ExploreRoute"), "ExploreRoute"),
});

export const volumesRoute = createRoute({
  ...at("/volumes"),
  validateSearch: volumesSearchFrom,
  component: lazyRouteComponent(() => import("./volumes/VolumesRoute"), "VolumesRoute"),
});

export const measurementsRoute = createRoute({
  ...at("/measurements"),
  validateSearch: measurementsSearchFrom,
  component: lazyRouteComponent(() => import("./measurements/MeasurementsRoute"), "MeasurementsRoute"),
});

export const reviewRoute = createRoute({
  ...at("/measurements/uploads"),
  component: lazyRouteComponent(() => import("./measurements/ReviewRoute"), "ReviewRoute"),
});

export const reviewOneRoute = createRoute({
  ...at("/measurements/uploads/$uploadId"),
  component: lazyRouteComponent(() => import("./measurements/ReviewRoute"), "ReviewRoute"),
});

export const profileRoute = createRoute({
  ...at("/measurements/profiles/$profileKey"),
  component: lazyRouteComponent(() => import("./measurements/ProfileRoute"), "ProfileRoute"),
});

export const jobRoute = createRoute({
  ...at("/measurements/jobs/$jobId"),
  component: lazyRouteComponent(() => import("./measurements/JobRoute"), "JobRoute"),
});

export const calibrationRoute = createRoute({
  ...at("/measurements/calibrations/$calibrationId"),
  component: lazyRouteComponent(() => import("./measurements/CalibrationRoute"), "CalibrationRoute"),
});

export const measurementRoute = createRoute({
  ...at("/measurements/$measurementId"),
  component: lazyRouteComponent(() => import("./measurements/MeasurementRoute"), "MeasurementRoute"),
});

export const runsRoute = createRoute({
  ...at("/runs"),
  validateSearch: runsSearchFrom,
  component: lazyRouteComponent(() => import("./runs/RunsRoute"), "RunsRoute"),
});

export const newRunRoute = createRoute({
  ...at("/runs/new"),
  validateSearch: newRunSearchFrom,
  component: lazyRouteComponent(() => import("./runs/NewRunRoute"), "NewRunRoute"),
});

export const compareRunsRoute = createRoute({
  ...at("/runs/compare"),
  validateSearch: compareSearchFrom,
  component: lazyRouteComponent(() => import("./runs/CompareRunsRoute"), "CompareRunsRoute"),
});

export const accountsRoute = createRoute({
  ...at("/runs/accounts"),
  validateSearch: accountsSearchFrom,
  component: lazyRouteComponent(() => import("./runs/AccountsRoute"), "AccountsRoute"),
});

export const watchesRoute = createRoute({
  ...at("/runs/volumes"),
  validateSearch: watchesSearchFrom,
  component: lazyRouteComponent(() => import("./runs/WatchesRoute"), "WatchesRoute"),
});

export const watchRoute = createRoute({
  ...at("/runs/volumes/$watchId"),
  validateSearch: watchSearchFrom,
  component: lazyRouteComponent(() => import("./runs/WatchesRoute"), "WatchRoute"),
});

export const runRoute = createRoute({
  ...at("/runs/$runId"),
  validateSearch: runSearchFrom,
  component: lazyRouteComponent(() => import("./runs/RunRoute"), "RunRoute"),
});

export const reportsRoute = createRoute({
  ...at("/reports"),
  validateSearch: wordsSearchFrom,
  component: lazyRouteComponent(() => import("./reports/ReportsRoute"), "ReportsRoute"),
});

export const newReportRoute = createRoute({
  ...at("/reports/new"),
  validateSearch: newReportSearchFrom,
  component: lazyRouteComponent(() => import("./reports/NewReportRoute"), "NewReportRoute"),
});

export const compareReportsRoute = createRoute({
  ...at("/reports/compare"),
  validateSearch: compareReportsSearchFrom,
  component: lazyRouteComponent(() => import("./reports/CompareReportsRoute"), "CompareReportsRoute"),
});

export const reportRoute = createRoute({
  ...at("/reports/$reportId"),
  component: lazyRouteComponent(() => import("./reports/ReportRoute"), "ReportRoute"),
});

export const signInRoute = createRoute({
  ...at("/sign-in"),
  validateSearch: (raw: Record<string, unknown>): { problem?: string } =>
    typeof raw["problem"] === "string" && raw["problem"] !== "" ? { problem: raw["problem"].slice(0, 40) } : {},
  component: SignInRoute,
});

export const joinRoute = createRoute({
  ...at("/join"),
  component: lazyRouteComponent(() => import("./session/JoinRoute"), "JoinRoute"),
});

export const resetRoute = createRoute({
  ...at("/reset"),
  component: lazyRouteComponent(() => import("./session/ResetRoute"), "ResetRoute"),
});

export const verifyRoute = createRoute({
  ...at("/verify"),
  component: lazyRouteComponent(() => import("./session/VerifyRoute"), "VerifyRoute"),
});

export const welcomeRoute = createRoute({
  ...at("/welcome"),
  component: lazyRouteComponent(() => import("./session/WelcomeRoute"), "WelcomeRoute"),
});

export const teamRoute = createRoute({
  ...at("/team"),
  component: lazyRouteComponent(() => import("./team/TeamRoute"), "TeamRoute"),
});

export const auditRoute = createRoute({
  ...at("/team/audit-log"),
  validateSearch: wordsSearchFrom,
  component: lazyRouteComponent(() => import("./team/AuditRoute"), "AuditRoute"),
});

/** URL of the audit log until November 2026. */
const oldAuditRoute = createRoute({
  ...at("/team/record"),
  validateSearch: wordsSearchFrom,
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/team/audit-log", search, replace: true });
  },
});

export const accountRoute = createRoute({
  ...at("/account"),
  component: lazyRouteComponent(() => import("./account/AccountRoute"), "AccountRoute"),
});

export const tokensRoute = createRoute({
  ...at("/account/tokens"),
  component: lazyRouteComponent(() => import("./account/TokensRoute"), "TokensRoute"),
});

export const sharedRoute = createRoute({
  ...at("/s/$secret"),
  component: lazyRouteComponent(() => import("./shared/SharedRoute"), "SharedRoute"),
});

/** Parse search parameters as plain text: every value is a string, as the user would write it. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

export const router = createRouter({
  routeTree: root.addChildren([
    planRoute,
    plansRoute,
    savedPlanRoute,
    sweepsRoute,
    outlookRoute,
    newSweepRoute,
    sweepRoute,
    validationRoute,
    exploreRoute,
    volumesRoute,
    measurementsRoute,
    reviewRoute,
    reviewOneRoute,
    profileRoute,
    jobRoute,
    calibrationRoute,
    measurementRoute,
    runsRoute,
    newRunRoute,
    compareRunsRoute,
    accountsRoute,
    watchesRoute,
    watchRoute,
    runRoute,
    reportsRoute,
    newReportRoute,
    compareReportsRoute,
    reportRoute,
    signInRoute,
    joinRoute,
    resetRoute,
    verifyRoute,
    welcomeRoute,
    teamRoute,
    auditRoute,
    oldAuditRoute,
    accountRoute,
    tokensRoute,
    sharedRoute,
  ]),
  parseSearch,
  stringifySearch,
  // The plan page is part of the first bundle; other pages are preloaded on hover.
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFound />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
