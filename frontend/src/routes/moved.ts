// Addresses of pages until November 2026, which lead to those of today with their parameters.

import { type AnyRoute, createRoute, type ParsedLocation, redirect } from "@tanstack/react-router";
import { searchFrom } from "@/features/plan/workload/choice";

/** First parts of old addresses, and of today's. A more specific one wins. */
export const MOVED: Readonly<Record<string, string>> = {
  "/outlook": "/plans/outlook",
  "/sweeps": "/plans/scenarios",
  "/explore": "/catalog/instances",
  "/volumes": "/catalog/volumes",
  "/measurements": "/benchmarks",
  "/measurements/uploads": "/benchmarks/upload",
  "/runs": "/benchmarks/runs",
  "/runs/accounts": "/settings/aws-accounts",
  "/runs/volumes": "/benchmarks/monitored",
  "/validation": "/benchmarks/accuracy",
  "/team": "/settings/team",
  "/team/audit-log": "/settings/audit-log",
  "/team/record": "/settings/audit-log",
  "/account": "/settings/account",
  "/account/tokens": "/settings/tokens",
};

/** Places without a page of their own, and their first page. */
const FIRST_PAGES: Readonly<Record<string, string>> = {
  "/catalog": "/catalog/instances",
  "/settings": "/settings/account",
};

/** Build the routes that redirect old addresses and all below them, and places to their first page. */
export function movedRoutes(root: AnyRoute) {
  const moved = Object.entries(MOVED).flatMap(([old, to]) => [
    redirecting(root, old, () => ({ to })),
    redirecting(root, `${old}/$`, ({ _splat }) => ({ to: `${to}/$`, params: { _splat } })),
  ]);
  const places = Object.entries(FIRST_PAGES).map(([place, to]) => redirecting(root, place, () => ({ to })));
  return [...moved, ...places];
}

interface Moving {
  params: Record<string, string>;
  location: ParsedLocation;
}

function redirecting(
  root: AnyRoute,
  path: string,
  target: (params: Record<string, string>) => { to: string; params?: object },
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: ({ params, location: { search, hash } }: Moving) => {
      throw redirect({ ...target(params), search, hash, replace: true } as Parameters<typeof redirect>[0]);
    },
  });
}

/** Redirect a question at `/`, where the plan page was, to the plan page. */
export function questionsMoved({ location: { search, hash } }: { location: ParsedLocation }) {
  const asked = searchFrom(search as Record<string, unknown>);
  if (Object.keys(asked).length > 0) throw redirect({ to: "/plans/new", search: { ...asked }, hash, replace: true });
}
