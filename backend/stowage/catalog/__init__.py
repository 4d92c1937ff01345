"""Instance types, volume types, prices and published profiles in the package."""
