"""Deployable exports of a configuration: CloudFormation, Terraform, EMR."""
