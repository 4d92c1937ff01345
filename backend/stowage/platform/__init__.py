"""The platform under the features: database, tenancy, jobs, audit log, access, quotas, throttling, paging, mail."""
