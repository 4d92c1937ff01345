import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./RunsTabs.module.css";

const TABS = [
  { to: "/runs", name: "Runs" },
  { to: "/runs/volumes", name: "Volumes" },
  { to: "/runs/accounts", name: "AWS accounts" },
] as const;

/** Render the tabs of runs, watched volumes and AWS accounts. */
export function RunsTabs({ children }: { children: ReactNode }) {
  return (
    <div className="page" style={{ gap: 12 }}>
      <nav aria-label="Runs, volumes and accounts" className={classes.tabs}>
        {TABS.map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  );
}
