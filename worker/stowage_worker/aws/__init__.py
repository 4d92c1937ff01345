"""Calls to AWS, and the only module that makes them; `infra/iam/catalogue-refresh.json` allows no more."""
