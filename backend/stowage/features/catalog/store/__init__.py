"""Database queries for catalog versions and refreshes."""
