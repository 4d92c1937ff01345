"""All calls to AWS. `infra/iam/catalog-refresh.json` grants exactly the permissions of a catalog refresh."""
