"""Background worker: Celery tasks, all calls to AWS, and the agent on benchmarked machines."""
