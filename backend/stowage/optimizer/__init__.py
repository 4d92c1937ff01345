"""The search for the best configurations of a workload: exact, deterministic, and without side effects."""
