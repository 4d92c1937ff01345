"""Monitoring: CloudWatch metrics of monitored EBS volumes, and of the nodes and volumes of benchmark runs."""
