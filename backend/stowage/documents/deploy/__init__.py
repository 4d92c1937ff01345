"""A configuration as files that build it: CloudFormation, Terraform, EMR, a script, and checks of its disks. Pure."""
