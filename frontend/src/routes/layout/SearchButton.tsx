import { UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { Entry, PageEntry } from "@/features/search/entries";
import { SearchIcon } from "@/ui/Icons";
import { ownPage, type Page, type PageSection, usePages, useSections } from "./pages";
import classes from "./RootLayout.module.css";

const Search = lazy(() => import("@/features/search/Search").then((module) => ({ default: module.Search })));

/** Render the button of the global search, which also opens with Ctrl-K. */
export function SearchButton() {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const navigate = useNavigate();
  const pages = [...usePages(), ...useSections()].map(entryOf);
  const show = () => {
    setWanted(true);
    setOpen(true);
  };
  // Active in text fields too.
  useHotkeys([["mod+K", show]], []);
  const go = (entry: Entry) => {
    switch (entry.kind) {
      case "page": {
        const [to = "/", hash] = entry.id.split("#");
        return navigate({
          to: to as "/",
          search: ownPage(to) ? { team: undefined } : {},
          ...(hash === undefined ? {} : { hash }),
        });
      }
      case "plan":
        return navigate({ to: "/plans/$planId", params: { planId: entry.id }, search: {} });
      case "sweep":
        return navigate({ to: "/plans/scenarios/$sweepId", params: { sweepId: entry.id }, search: {} });
      case "report":
        return navigate({ to: "/reports/$reportId", params: { reportId: entry.id }, search: {} });
      case "type":
        return navigate({ to: "/catalog/instances", search: { type: entry.id } });
      case "volume":
        return navigate({ to: "/catalog/volumes", search: { type: entry.id } });
      case "member":
        return navigate({ to: "/settings/team", search: { team: undefined } });
    }
  };
  return (
    <>
      <UnstyledButton className={classes.tool} aria-keyshortcuts="Control+K" onClick={show}>
        <SearchIcon />
        <span className={classes.searchWords}>Search</span>
        <span className={classes.keys} aria-hidden="true">
          Ctrl K
        </span>
      </UnstyledButton>
      {wanted && (
        <Suspense fallback={null}>
          <Search open={open} onClose={() => setOpen(false)} pages={pages} onGo={(entry) => void go(entry)} />
        </Suspense>
      )}
    </>
  );
}

/** Return the entry of a page or of a part of it in the search. */
export function entryOf(page: Page | PageSection): PageEntry {
  const { to, name, note, also = "" } = page;
  return { kind: "page", id: "hash" in page ? `${to}#${page.hash}` : to, name, note, also };
}
