import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { searchFrom } from "@/features/plan/choice";
import { ErrorPage } from "./ErrorPage";
import { NotFound } from "./NotFound";
import { PlanRoute } from "./PlanRoute";
import { RootLayout } from "./RootLayout";
import { SavedPlanRoute } from "./SavedPlanRoute";
import { SavedPlansRoute } from "./SavedPlansRoute";

const root = createRootRoute({ component: RootLayout, notFoundComponent: () => <NotFound /> });

export const planRoute = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: searchFrom,
  component: PlanRoute,
});

export const savedPlansRoute = createRoute({ getParentRoute: () => root, path: "/plans", component: SavedPlansRoute });

export const savedPlanRoute = createRoute({
  getParentRoute: () => root,
  path: "/plans/$planId",
  validateSearch: (raw: Record<string, unknown>) => {
    const { row, scale } = searchFrom(raw);
    return { ...(row === undefined ? {} : { row }), ...(scale === undefined ? {} : { scale }) } as {
      row?: string;
      scale?: string;
    };
  },
  component: SavedPlanRoute,
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
  routeTree: root.addChildren([planRoute, savedPlansRoute, savedPlanRoute]),
  parseSearch,
  stringifySearch,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: () => <NotFound />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
