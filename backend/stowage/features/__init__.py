"""Features: a package for each thing that users do."""
