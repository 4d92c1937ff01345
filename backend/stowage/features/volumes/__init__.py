"""The volume designer, which finds the cheapest EBS volumes of each type for a capacity and load."""
