"""Jobs: workloads, their phases as flows, and the frameworks that run them."""
