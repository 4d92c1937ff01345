"""Background jobs: their names and messages, the queue that carries them, and the Redis under it."""
