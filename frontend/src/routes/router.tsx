import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { teamFrom } from "@/api/team";
import { regionsSearchFrom } from "@/features/explore/regions/search";
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
import { searchOf, text } from "@/lib/address";
import { wordsSearchFrom } from "@/lib/wordsSearch";
import { NotFound } from "@/ui/links/NotFound";
import { ErrorPage } from "./layout/ErrorPage";
import { RootLayout } from "./layout/RootLayout";
import { movedRoutes, questionsMoved } from "./moved";
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

/** Build the route of a page below the root, with what it reads from the search parameters. */
function page<const Path extends string, Search = object>(
  path: Path,
  component: RouteComponent,
  validateSearch: (raw: Record<string, unknown>) => Search = () => ({}) as Search,
) {
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

/** Build the route of a page whose code is loaded when it is opened. */
function lazyPage<const Path extends string, Module extends Record<string, unknown>, Search = object>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
  validateSearch?: (raw: Record<string, unknown>) => Search,
) {
  return page(path, lazyRouteComponent(load, name), validateSearch);
}

const problemFrom = searchOf({ problem: text(40) });

// A page's code is loaded when a link to it is hovered.
const pages = [
  createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(() => import("./home/HomeRoute"), "HomeRoute"),
    beforeLoad: questionsMoved,
  }),
  lazyPage("/plans/new", () => import("./plan/PlanRoute"), "PlanRoute", searchFrom),
  lazyPage("/plans/outlook", () => import("./plan/OutlookRoute"), "OutlookRoute", outlookSearchFrom),
  lazyPage("/plans", () => import("./plan/PlansRoute"), "PlansRoute", wordsSearchFrom),
  lazyPage("/plans/$planId", () => import("./plan/SavedPlanRoute"), "SavedPlanRoute", savedViewFrom),
  lazyPage("/plans/scenarios", () => import("./sweeps/SweepsRoute"), "SweepsRoute"),
  lazyPage("/plans/scenarios/new", () => import("./sweeps/NewSweepRoute"), "NewSweepRoute", newSweepSearchFrom),
  lazyPage("/plans/scenarios/$sweepId", () => import("./sweeps/SweepRoute"), "SweepRoute", sweepSearchFrom),
  lazyPage(
    "/benchmarks/accuracy",
    () => import("./validation/ValidationRoute"),
    "ValidationRoute",
    validationSearchFrom,
  ),
  lazyPage("/catalog/instances", () => import("./explore/ExploreRoute"), "ExploreRoute", exploreSearchFrom),
  lazyPage("/catalog/regions", () => import("./explore/RegionsRoute"), "RegionsRoute", regionsSearchFrom),
  lazyPage("/catalog/volumes", () => import("./volumes/VolumesRoute"), "VolumesRoute", volumesSearchFrom),
  lazyPage(
    "/benchmarks",
    () => import("./measurements/MeasurementsRoute"),
    "MeasurementsRoute",
    measurementsSearchFrom,
  ),
  lazyPage("/benchmarks/upload", () => import("./measurements/ReviewRoute"), "ReviewRoute"),
  lazyPage("/benchmarks/upload/$uploadId", () => import("./measurements/ReviewRoute"), "ReviewRoute"),
  lazyPage("/benchmarks/profiles/$profileKey", () => import("./measurements/ProfileRoute"), "ProfileRoute"),
  lazyPage("/benchmarks/jobs/$jobId", () => import("./measurements/JobRoute"), "JobRoute"),
  lazyPage(
    "/benchmarks/calibrations/$calibrationId",
    () => import("./measurements/CalibrationRoute"),
    "CalibrationRoute",
  ),
  lazyPage("/benchmarks/$measurementId", () => import("./measurements/MeasurementRoute"), "MeasurementRoute"),
  lazyPage("/benchmarks/runs", () => import("./runs/RunsRoute"), "RunsRoute", runsSearchFrom),
  lazyPage("/benchmarks/runs/new", () => import("./runs/NewRunRoute"), "NewRunRoute", newRunSearchFrom),
  lazyPage("/benchmarks/runs/compare", () => import("./runs/CompareRunsRoute"), "CompareRunsRoute", compareSearchFrom),
  lazyPage(
    "/settings/aws-accounts",
    () => import("./settings/AwsAccountsRoute"),
    "AwsAccountsRoute",
    accountsSearchFrom,
  ),
  lazyPage("/benchmarks/monitored", () => import("./runs/WatchesRoute"), "WatchesRoute", watchesSearchFrom),
  lazyPage("/benchmarks/monitored/$watchId", () => import("./runs/WatchesRoute"), "WatchRoute", watchSearchFrom),
  lazyPage("/benchmarks/runs/$runId", () => import("./runs/RunRoute"), "RunRoute", runSearchFrom),
  lazyPage("/reports", () => import("./reports/ReportsRoute"), "ReportsRoute", wordsSearchFrom),
  lazyPage("/reports/new", () => import("./reports/NewReportRoute"), "NewReportRoute", newReportSearchFrom),
  lazyPage(
    "/reports/compare",
    () => import("./reports/CompareReportsRoute"),
    "CompareReportsRoute",
    compareReportsSearchFrom,
  ),
  lazyPage("/reports/$reportId", () => import("./reports/ReportRoute"), "ReportRoute"),
  lazyPage("/sign-in", () => import("./session/SignInRoute"), "SignInRoute", problemFrom),
  lazyPage("/join", () => import("./session/JoinRoute"), "JoinRoute"),
  lazyPage("/reset", () => import("./session/ResetRoute"), "ResetRoute"),
  lazyPage("/verify", () => import("./session/VerifyRoute"), "VerifyRoute"),
  lazyPage("/welcome", () => import("./session/WelcomeRoute"), "WelcomeRoute"),
  lazyPage("/settings/team", () => import("./settings/TeamRoute"), "TeamRoute"),
  lazyPage("/settings/audit-log", () => import("./settings/AuditRoute"), "AuditRoute", wordsSearchFrom),
  lazyPage("/settings/alerts", () => import("./settings/AlertsRoute"), "AlertsRoute"),
  lazyPage("/settings/price-terms", () => import("./settings/PriceTermsRoute"), "PriceTermsRoute"),
  lazyPage("/settings/units", () => import("./settings/UnitsRoute"), "UnitsRoute"),
  lazyPage("/settings/account", () => import("./settings/AccountRoute"), "AccountRoute"),
  lazyPage("/settings/tokens", () => import("./settings/TokensRoute"), "TokensRoute"),
  lazyPage("/s/$secret", () => import("./shared/SharedRoute"), "SharedRoute"),
] as const;

// Typed without the old addresses, so that no link leads to one.
const routeTree = root.addChildren([...pages, ...(movedRoutes(root) as never[])]);

/** Parse search parameters as plain text: every value is a string, as the user would write it. */
function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFound />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
