"""What computes in the background: Celery tasks that call use cases."""
