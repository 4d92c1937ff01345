"""Activity of a team: audit log, search over all named objects, and the list of teams that a request may name."""
