"""The volume designer: the cheapest EBS volumes of each type for a load."""
