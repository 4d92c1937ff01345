"""Hardware: instance types, EBS volumes, processors, and the resources of a node."""
