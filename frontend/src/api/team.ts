// Team of a request. It is part of the URL, so that a link opens the same page for another member.

export type Team = "local" | "example";

/** Query parameters that select a team. */
export type TeamQuery = { team?: "example" };

/** Default for URLs without a team. */
const OWN: Team = "local";

/** Parse the team of a URL; invalid values give the default. */
export function teamFrom(text: unknown): Team {
  return text === "example" ? "example" : OWN;
}

/**
 * Return the team in the URL.
 *
 * Call this when building a query, not when sending it: a retry must use the original team even if the reader has since
 * switched to another one.
 */
export function currentTeam(): Team {
  return teamFrom(new URLSearchParams(window.location.search).get("team"));
}

/** Return the query parameters that select a team. */
export function teamQuery(team: Team): TeamQuery {
  return team === OWN ? {} : { team: "example" };
}
