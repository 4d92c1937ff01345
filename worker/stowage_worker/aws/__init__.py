"""Calls to AWS, and the only module that makes them; `infra/iam/catalog-refresh.json` allows no more."""
