"""Activity of a team: home page, audit log, search over named objects, and the teams that a request may name."""
