"""Hardware: instance types, EBS volumes, processors, and resources as lines with credit."""
