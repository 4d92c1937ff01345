// Team of a request: it is part of the address, so that a link opens the same for another member.

export type Team = "local" | "example";

/** What the address says where it says nothing. */
const OWN: Team = "local";

/** Read the team of an address; any other value gives the default. */
export function teamFrom(text: unknown): Team {
  return text === "example" ? "example" : OWN;
}

/**
 * The team of the address.
 *
 * Read once where a question is put together, never where it is sent: a request that is repeated after the reader
 * went on to another team must still be its own team's.
 */
export function currentTeam(): Team {
  return teamFrom(new URLSearchParams(window.location.search).get("team"));
}

/** The part of a request's address that names its team. The one place that writes it. */
export function teamQuery(team: Team): { team?: "example" } {
  return team === OWN ? {} : { team: "example" };
}
