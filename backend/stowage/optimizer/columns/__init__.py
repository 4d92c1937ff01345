"""Columns of a search: rates, prices and orderable volumes of all instance types at once."""
