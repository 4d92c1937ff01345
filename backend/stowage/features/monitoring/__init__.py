"""Monitored volumes: CloudWatch metrics of volumes and of what benchmark runs launched."""
