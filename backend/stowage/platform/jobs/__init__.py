"""Background jobs: rows, messages and the queue that carries them, leases, and the embedded Redis of one machine."""
