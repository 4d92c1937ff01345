"""Jobs: the workload, its phases as flows, and the frameworks that run it."""
