"""Activity: the audit log, search over everything that has a name, and the teams that a request may name."""
