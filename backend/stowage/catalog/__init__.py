"""Catalogs of instance types, volume types, prices and disk profiles: building, checking, comparing, loading."""
