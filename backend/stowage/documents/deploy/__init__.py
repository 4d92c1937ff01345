"""Deployment files of a configuration: CloudFormation, Terraform, EMR, a script, and fio checks. No I/O."""
