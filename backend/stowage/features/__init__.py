"""What users do: a package for each feature."""
