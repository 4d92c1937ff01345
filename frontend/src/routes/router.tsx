import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { teamFrom } from "@/api/team";
import { recordSearchFrom } from "@/features/audit/search";
import { exploreSearchFrom } from "@/features/explore/search";
import { measurementsSearchFrom } from "@/features/measurements/search";
import { outlookSearchFrom } from "@/features/outlook/search";
import { searchFrom } from "@/features/plan/choice";
import { savedViewFrom } from "@/features/plan/view";
import { plansSearchFrom } from "@/features/plans/search";
import { compareReportsSearchFrom, newReportSearchFrom, reportsSearchFrom } from "@/features/reports/search";
import { newRunSearchFrom } from "@/features/runs/question";
import { accountsSearchFrom, compareSearchFrom, runSearchFrom, runsSearchFrom } from "@/features/runs/search";
import { sweepSearchFrom } from "@/features/sweeps/search";
import { validationSearchFrom } from "@/features/validation/search";
import { volumesSearchFrom } from "@/features/volumes/search";
import { watchesSearchFrom, watchSearchFrom } from "@/features/watches/search";
import { ErrorPage } from "./ErrorPage";
import { NotFound } from "./NotFound";
import { newSweepSearchFrom } from "./newSweepSearch";
import { PlanRoute } from "./PlanRoute";
import { RootLayout } from "./RootLayout";
import { SignInRoute } from "./SignInRoute";

/** What holds on every page: whose plans and sweeps are looked at. */
interface RootSearch {
  team?: "example";
}

const root = createRootRoute({
  component: RootLayout,
  notFoundComponent: () => <NotFound />,
  validateSearch: (raw: Record<string, unknown>): RootSearch =>
    teamFrom(raw["team"]) === "example" ? { team: "example" } : {},
  // Every link stays with the team; only one that names another leaves it.
  search: { middlewares: [retainSearchParams<RootSearch>(["team"])] },
});

export const planRoute = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: searchFrom,
  component: PlanRoute,
});

export const outlookRoute = createRoute({
  getParentRoute: () => root,
  path: "/outlook",
  validateSearch: outlookSearchFrom,
  component: lazyRouteComponent(() => import("./OutlookRoute"), "OutlookRoute"),
});

export const plansRoute = createRoute({
  getParentRoute: () => root,
  path: "/plans",
  validateSearch: plansSearchFrom,
  component: lazyRouteComponent(() => import("./PlansRoute"), "PlansRoute"),
});

export const savedPlanRoute = createRoute({
  getParentRoute: () => root,
  path: "/plans/$planId",
  validateSearch: savedViewFrom,
  component: lazyRouteComponent(() => import("./SavedPlanRoute"), "SavedPlanRoute"),
});

export const sweepsRoute = createRoute({
  getParentRoute: () => root,
  path: "/sweeps",
  component: lazyRouteComponent(() => import("./SweepsRoute"), "SweepsRoute"),
});

export const newSweepRoute = createRoute({
  getParentRoute: () => root,
  path: "/sweeps/new",
  validateSearch: newSweepSearchFrom,
  component: lazyRouteComponent(() => import("./NewSweepRoute"), "NewSweepRoute"),
});

export const sweepRoute = createRoute({
  getParentRoute: () => root,
  path: "/sweeps/$sweepId",
  validateSearch: sweepSearchFrom,
  component: lazyRouteComponent(() => import("./SweepRoute"), "SweepRoute"),
});

export const validationRoute = createRoute({
  getParentRoute: () => root,
  path: "/validation",
  validateSearch: validationSearchFrom,
  component: lazyRouteComponent(() => import("./ValidationRoute"), "ValidationRoute"),
});

export const exploreRoute = createRoute({
  getParentRoute: () => root,
  path: "/explore",
  validateSearch: exploreSearchFrom,
  component: lazyRouteComponent(() => import("./ExploreRoute"), "ExploreRoute"),
});

export const volumesRoute = createRoute({
  getParentRoute: () => root,
  path: "/volumes",
  validateSearch: volumesSearchFrom,
  component: lazyRouteComponent(() => import("./VolumesRoute"), "VolumesRoute"),
});

export const measurementsRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements",
  validateSearch: measurementsSearchFrom,
  component: lazyRouteComponent(() => import("./MeasurementsRoute"), "MeasurementsRoute"),
});

export const reviewRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/uploads",
  component: lazyRouteComponent(() => import("./ReviewRoute"), "ReviewRoute"),
});

export const reviewOneRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/uploads/$uploadId",
  component: lazyRouteComponent(() => import("./ReviewRoute"), "ReviewRoute"),
});

export const profileRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/profiles/$profileKey",
  component: lazyRouteComponent(() => import("./ProfileRoute"), "ProfileRoute"),
});

export const jobRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/jobs/$jobId",
  component: lazyRouteComponent(() => import("./JobRoute"), "JobRoute"),
});

export const calibrationRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/calibrations/$calibrationId",
  component: lazyRouteComponent(() => import("./CalibrationRoute"), "CalibrationRoute"),
});

export const measurementRoute = createRoute({
  getParentRoute: () => root,
  path: "/measurements/$measurementId",
  component: lazyRouteComponent(() => import("./MeasurementRoute"), "MeasurementRoute"),
});

export const runsRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: runsSearchFrom,
  component: lazyRouteComponent(() => import("./RunsRoute"), "RunsRoute"),
});

export const newRunRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/new",
  validateSearch: newRunSearchFrom,
  component: lazyRouteComponent(() => import("./NewRunRoute"), "NewRunRoute"),
});

export const compareRunsRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/compare",
  validateSearch: compareSearchFrom,
  component: lazyRouteComponent(() => import("./CompareRunsRoute"), "CompareRunsRoute"),
});

export const accountsRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/accounts",
  validateSearch: accountsSearchFrom,
  component: lazyRouteComponent(() => import("./AccountsRoute"), "AccountsRoute"),
});

export const watchesRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/volumes",
  validateSearch: watchesSearchFrom,
  component: lazyRouteComponent(() => import("./WatchesRoute"), "WatchesRoute"),
});

export const watchRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/volumes/$watchId",
  validateSearch: watchSearchFrom,
  component: lazyRouteComponent(() => import("./WatchesRoute"), "WatchRoute"),
});

export const runRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: runSearchFrom,
  component: lazyRouteComponent(() => import("./RunRoute"), "RunRoute"),
});

export const reportsRoute = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: reportsSearchFrom,
  component: lazyRouteComponent(() => import("./ReportsRoute"), "ReportsRoute"),
});

export const newReportRoute = createRoute({
  getParentRoute: () => root,
  path: "/reports/new",
  validateSearch: newReportSearchFrom,
  component: lazyRouteComponent(() => import("./NewReportRoute"), "NewReportRoute"),
});

export const compareReportsRoute = createRoute({
  getParentRoute: () => root,
  path: "/reports/compare",
  validateSearch: compareReportsSearchFrom,
  component: lazyRouteComponent(() => import("./CompareReportsRoute"), "CompareReportsRoute"),
});

export const reportRoute = createRoute({
  getParentRoute: () => root,
  path: "/reports/$reportId",
  component: lazyRouteComponent(() => import("./ReportRoute"), "ReportRoute"),
});

export const signInRoute = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (raw: Record<string, unknown>): { problem?: string } =>
    typeof raw["problem"] === "string" && raw["problem"] !== "" ? { problem: raw["problem"].slice(0, 40) } : {},
  component: SignInRoute,
});

export const joinRoute = createRoute({
  getParentRoute: () => root,
  path: "/join",
  component: lazyRouteComponent(() => import("./JoinRoute"), "JoinRoute"),
});

export const resetRoute = createRoute({
  getParentRoute: () => root,
  path: "/reset",
  component: lazyRouteComponent(() => import("./ResetRoute"), "ResetRoute"),
});

export const verifyRoute = createRoute({
  getParentRoute: () => root,
  path: "/verify",
  component: lazyRouteComponent(() => import("./VerifyRoute"), "VerifyRoute"),
});

export const welcomeRoute = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./WelcomeRoute"), "WelcomeRoute"),
});

export const teamRoute = createRoute({
  getParentRoute: () => root,
  path: "/team",
  component: lazyRouteComponent(() => import("./TeamRoute"), "TeamRoute"),
});

export const recordRoute = createRoute({
  getParentRoute: () => root,
  path: "/team/record",
  validateSearch: recordSearchFrom,
  component: lazyRouteComponent(() => import("./RecordRoute"), "RecordRoute"),
});

export const accountRoute = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(() => import("./AccountRoute"), "AccountRoute"),
});

export const tokensRoute = createRoute({
  getParentRoute: () => root,
  path: "/account/tokens",
  component: lazyRouteComponent(() => import("./TokensRoute"), "TokensRoute"),
});

export const sharedRoute = createRoute({
  getParentRoute: () => root,
  path: "/s/$secret",
  component: lazyRouteComponent(() => import("./SharedRoute"), "SharedRoute"),
});

/** The address holds plain text: every value is a string, as the user would write it. */
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
    recordRoute,
    accountRoute,
    tokensRoute,
    sharedRoute,
  ]),
  parseSearch,
  stringifySearch,
  // The first page is the plan's; the others come when somebody points at them.
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFound />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
