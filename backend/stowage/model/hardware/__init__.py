"""Hardware: instance types, EBS volumes, processors, and resources as limits with burst credit."""
