import { Link } from "@tanstack/react-router";
import type { Tab } from "@/features/measurements/search";
import { ButtonLink } from "@/routes/layout/ButtonLink";

export function linkToProfile(key: string, words: string) {
  return (
    <Link to="/measurements/profiles/$profileKey" params={{ profileKey: key }}>
      {words}
    </Link>
  );
}

export function linkToMeasurement(id: string, words: string) {
  return (
    <Link to="/measurements/$measurementId" params={{ measurementId: id }}>
      {words}
    </Link>
  );
}

export function linkToJob(id: string, words: string) {
  return (
    <Link to="/measurements/jobs/$jobId" params={{ jobId: id }}>
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

/** Build a link back to a tab of the list. */
export function backTo(tab: Tab, words: string) {
  return (
    <ButtonLink to="/measurements" search={tab === "profiles" ? {} : { tab }} variant="default" size="compact-sm">
      {words}
    </ButtonLink>
  );
}
