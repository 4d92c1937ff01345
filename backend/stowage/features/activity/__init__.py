"""Activity: the audit log, search over all named objects, and the teams that a request may name."""
