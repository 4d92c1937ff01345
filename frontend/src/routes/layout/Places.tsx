import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useId, useRef, useState } from "react";
import classes from "./Places.module.css";
import { ownPage, type Page, PLACES, tabOf, usePages } from "./pages";

/** Return the page whose tab stands for the address. */
function useTab(): Page | undefined {
  return tabOf(useLocation({ select: ({ pathname }) => pathname }));
}

/** Render the navigation: a row of places, or a button that opens them on narrow screens. */
export function Places() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const pages = usePages();
  const here = useTab()?.place;
  const id = useId();
  const whole = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = ({ target }: Event) => {
      if (target instanceof Node && whole.current?.contains(target) !== true) setOpen(false);
    };
    const events = ["pointerdown", "focusin"] as const;
    for (const event of events) document.addEventListener(event, outside);
    return () => {
      for (const event of events) document.removeEventListener(event, outside);
    };
  }, [open]);
  return (
    <nav ref={whole} aria-label="Pages" className={classes.nav}>
      <button
        ref={button}
        type="button"
        className={classes.opener}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {here === undefined || here === "Settings" ? "Pages" : here}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the links in it */}
      <div
        id={id}
        className={classes.places}
        data-open={open || undefined}
        onClick={() => setOpen(false)}
        onKeyDown={({ key }) => {
          if (key !== "Escape") return;
          setOpen(false);
          button.current?.focus();
        }}
      >
        {PLACES.map((place) => {
          const first = pages.find((page) => page.place === place && page.tab !== null);
          // Settings are in the account menu.
          if (first === undefined || place === "Settings") return null;
          return (
            <PageLink key={place} page={first} isHere={place === here}>
              {place}
            </PageLink>
          );
        })}
      </div>
    </nav>
  );
}

/** Render the pages of the current place as a row of links. */
export function Tabs() {
  const pages = usePages();
  const here = useTab();
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // Narrow screens show a part of the row.
    if (here !== undefined) row.current?.querySelector("[aria-current]")?.scrollIntoView?.({ block: "nearest" });
  }, [here]);
  const tabs = pages.filter(({ place, tab }) => place === here?.place && tab !== null);
  if (here === undefined || tabs.length < 2) return null;
  return (
    <nav ref={row} aria-label={here.place} className={classes.tabs}>
      {tabs.map((page) => (
        <PageLink key={page.to} page={page} isHere={page.to === here.to}>
          {page.tab}
        </PageLink>
      ))}
    </nav>
  );
}

interface PageLinkProps {
  page: Page;
  /** True if the displayed page is this one or belongs to it. */
  isHere: boolean;
  children: React.ReactNode;
}

function PageLink({ page: { to }, isHere, children }: PageLinkProps) {
  return (
    <Link
      to={to as "/"}
      {...(ownPage(to) ? { search: { team: undefined } } : {})}
      activeOptions={{ exact: true, includeSearch: false }}
      {...(isHere ? { "aria-current": true } : {})}
    >
      {children}
    </Link>
  );
}
