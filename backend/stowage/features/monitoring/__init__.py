"""Monitored volumes: CloudWatch metrics of volumes and of the resources of benchmark runs."""
