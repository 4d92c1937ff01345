import { type RegisteredRouter, type RouteIds, useNavigate, useSearch } from "@tanstack/react-router";

type Page = Exclude<RouteIds<RegisteredRouter["routeTree"]>, "__root__">;

/** Return the search parameters of a page, and the function that changes them without scrolling. */
export function useAddress<const From extends Page>(from: From) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from: from as Page });
  const onSearch = (next: typeof search, replace = true) => {
    void navigate({ search: next, replace, resetScroll: false } as Parameters<typeof navigate>[0]);
  };
  return { search, onSearch };
}
