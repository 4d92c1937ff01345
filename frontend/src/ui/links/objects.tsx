// Links to the pages of stored objects, and back to the lists that they are in.

import { Link } from "@tanstack/react-router";
import { ButtonLink } from "./ButtonLink";

export function linkToProfile(key: string, words: string) {
  return (
    <Link to="/benchmarks/profiles/$profileKey" params={{ profileKey: key }}>
      {words}
    </Link>
  );
}

export function linkToMeasurement(id: string, words: string) {
  return (
    <Link to="/benchmarks/$measurementId" params={{ measurementId: id }}>
      {words}
    </Link>
  );
}

export function linkToJob(id: string, words: string) {
  return (
    <Link to="/benchmarks/jobs/$jobId" params={{ jobId: id }}>
      {words}
    </Link>
  );
}

export function linkToPlan(id: string, words: string) {
  return (
    <Link to="/plans/$planId" params={{ planId: id }}>
      {words}
    </Link>
  );
}

export function linkToReport(id: string, words: string) {
  return (
    <Link to="/reports/$reportId" params={{ reportId: id }}>
      {words}
    </Link>
  );
}

export function linkToRun({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/benchmarks/runs/$runId" params={{ runId: id }}>
      {name}
    </Link>
  );
}

/** Build a link back to a tab of the measurements. */
export function backToMeasurements(tab: "profiles" | "list" | "jobs", words: string) {
  return (
    <ButtonLink to="/benchmarks" search={tab === "profiles" ? {} : { tab }} variant="default" size="compact-sm">
      {words}
    </ButtonLink>
  );
}

/** Build a link back to the list of runs or of watched volumes. */
export function backToRuns(to: "/benchmarks/runs" | "/benchmarks/monitored", words: string) {
  return (
    <ButtonLink to={to} variant="default" size="compact-sm">
      {words}
    </ButtonLink>
  );
}
