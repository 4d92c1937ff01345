"""Background work: Celery tasks that call services."""
