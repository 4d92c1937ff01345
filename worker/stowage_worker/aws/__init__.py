"""What Stowage asks AWS, and the only place that asks it; `infra/iam/catalogue-refresh.json` allows no more."""
