import { UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import type { Entry, PageEntry } from "@/features/search/entries";
import { SearchIcon } from "@/ui/Icons";
import { ownPage, type PageOfBar, usePages } from "./pages";
import classes from "./RootLayout.module.css";

const Search = lazy(() => import("@/features/search/Search").then((module) => ({ default: module.Search })));

/** Opens the search over everything, by a press or by Ctrl-K. */
export function SearchButton() {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const navigate = useNavigate();
  const pages = usePages().map(entryOf);
  const show = () => {
    setWanted(true);
    setOpen(true);
  };
  // In a field too: whoever types there is looking for something else.
  useHotkeys([["mod+K", show]], []);
  const go = (entry: Entry) => {
    if (entry.kind === "page")
      void navigate({ to: entry.id as "/", search: ownPage(entry.id) ? { team: undefined } : {} });
    if (entry.kind === "plan") void navigate({ to: "/plans/$planId", params: { planId: entry.id }, search: {} });
    if (entry.kind === "sweep") void navigate({ to: "/sweeps/$sweepId", params: { sweepId: entry.id }, search: {} });
    if (entry.kind === "type") void navigate({ to: "/explore", search: { type: entry.id } });
    if (entry.kind === "volume") void navigate({ to: "/volumes", search: { type: entry.id } });
    if (entry.kind === "member") void navigate({ to: "/team", search: { team: undefined } });
  };
  return (
    <>
      <UnstyledButton className={classes.search} aria-keyshortcuts="Control+K" onClick={show}>
        <SearchIcon />
        <span className={classes.searchWords}>Search</span>
        <span className={classes.keys} aria-hidden="true">
          Ctrl K
        </span>
      </UnstyledButton>
      {wanted && (
        <Suspense fallback={null}>
          <Search open={open} onClose={() => setOpen(false)} pages={pages} onGo={go} />
        </Suspense>
      )}
    </>
  );
}

function entryOf({ to, name, note }: PageOfBar): PageEntry {
  return { kind: "page", id: to, name, note };
}
