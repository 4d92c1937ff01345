"""Export of a configuration as files that build its cluster: CloudFormation, Terraform, EMR."""
