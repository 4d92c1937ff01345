"""Judgement of measurements as good, doubtful or rejected, and the physics of finished jobs."""
