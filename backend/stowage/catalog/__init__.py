"""Instance types, volume types, prices and published profiles that travel in the package."""
