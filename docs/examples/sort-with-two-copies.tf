# Terraform: 186 x i2.8xlarge in us-east-1, disks 5 + 3 (input and output + intermediate data), in a cluster
#   placement group, on demand.
# Name: Sort with two copies
# Predicted: 20 min 23 s (17–24 min) for $431 ($365–$509) a run.
# By: Stowage's model 6, catalog paper-2014 of 2014-10-01, profiles 45b07537d6db.
# Not tried: `terraform validate`, which needs the provider, and AWS itself. In Stowage's tests such files are
#   parsed, and their arguments held against a list from the provider's documentation.
#
# terraform init && terraform plan && terraform apply; terraform destroy ends all nodes.
# Without vpc_id and subnet_ids it goes to the default VPC.
# A shell on a node: aws ssm start-session --target i-...  Its folders: /etc/stowage/directories.

terraform {
  required_version = ">= 1.3.0"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.40.0, < 7.0.0"
    }
  }
}

provider "aws" {
  region = var.region
}

locals {
  tags = {
    "Name"                  = "Sort with two copies"
    "stowage:configuration" = "186 x i2.8xlarge 5 data + 3 scratch disks"
    "stowage:catalog"       = "paper-2014"
    "stowage:model"         = "6"
  }
  vpc_id     = var.vpc_id == null ? data.aws_vpc.default[0].id : var.vpc_id
  subnet_ids = length(var.subnet_ids) > 0 ? var.subnet_ids : local.default_subnet_ids

  # Of the default VPC one subnet in each of the first zones that have the type; local zones have longer names.
  offered            = data.aws_ec2_instance_type_offerings.nodes.locations
  regional           = [for zone in local.offered : zone if length(zone) == length(var.region) + 1]
  zones              = slice(sort(local.regional), 0, 1)
  default_subnet_ids = [for zone in local.zones : data.aws_subnet.default[zone].id if var.vpc_id == null]
  user_data          = <<END_OF_SCRIPT
#!/bin/bash
# Gives the disks of this node their roles, at every start: what is blank is formatted, and all are mounted.
# A disk that holds anything is never formatted; an empty ext3, as AWS makes on some types before NVMe, is nothing.
set -euo pipefail

local_data=5       # disks of the instance itself for input and output: /data/1, /data/2, ...
local_scratch=3    # disks of the instance itself for intermediate data: /scratch/1, ...
volumes=0          # EBS volumes for input and output: /data/1, ...
data_mounts=(/data/1 /data/2 /data/3 /data/4 /data/5)
scratch_mounts=(/scratch/1 /scratch/2 /scratch/3)

# Disks of an instance are blank again when it was stopped and started: cloud-init runs this then too.
again=/var/lib/cloud/scripts/per-boot/stowage-disks.sh
if [ "$0" != "$again" ]; then
  mkdir -p "$${again%/*}"
  cp "$0" "$again"
  chmod 755 "$again"
fi

say() {
  printf 'stowage-disks: %s\n' "$*"
  logger -t stowage-disks -- "$*" || true
}

metadata() {
  local address=http://169.254.169.254/latest token
  token=$(curl -sf -m 5 -X PUT -H 'X-aws-ec2-metadata-token-ttl-seconds: 60' "$address/api/token") || return 0
  curl -sf -m 5 -H "X-aws-ec2-metadata-token: $token" "$address/meta-data/$1" || true
}

# Types before NVMe: the metadata service knows which of the disks are the instance's own; sdb there is xvdb here.
ephemeral=" "
for name in $(metadata block-device-mapping/); do
  case $name in
    ephemeral*)
      device=$(metadata "block-device-mapping/$name")
      device=$${device##*/}
      device=$${device#xvd}
      ephemeral="$ephemeral$${device#sd} "
      ;;
  esac
done

kind() {
  case $(cat "/sys/block/$1/device/model" 2>/dev/null || true) in
    "Amazon EC2 NVMe Instance Storage"*) echo local ;;
    "Amazon Elastic Block Store"*) echo volume ;;
    *)
      local letters=$${1#xvd}
      case $ephemeral in
        *" $${letters#sd} "*) echo local ;;
        *) echo volume ;;
      esac
      ;;
  esac
}

root=$(lsblk -ndo PKNAME "$(findmnt -nvo SOURCE /)")

# All disks of a kind but the one that this node starts from.
disks() {
  local path name
  for path in /sys/block/nvme*n1 /sys/block/xvd* /sys/block/sd*; do
    name=$${path##*/}
    if [ -e "$path" ] && [ "$name" != "$root" ] && [ "$(kind "$name")" = "$1" ]; then echo "$name"; fi
  done
}

for ((attempt = 0; attempt < 60; attempt++)); do
  mapfile -t own < <(disks local)
  mapfile -t attached < <(disks volume)
  if [ "$${#own[@]}" -ge $((local_data + local_scratch)) ] && [ "$${#attached[@]}" -ge "$volumes" ]; then break; fi
  sleep 2
done

place() {
  mkdir -p "$2"
  if ! mountpoint -q "$2"; then mount -o noatime,nodiratime "/dev/$1" "$2"; fi
  chmod 1777 "$2"
}

# as_delivered DISK: whether a disk of the instance holds nothing but the file system that AWS delivered it with
# (cloud-init may have mounted it, and noted it in fstab). Where it is so, it is blank then.
as_delivered() {
  local look target
  if [ "$(kind "$1")" != local ] || [ "$(blkid -p -s TYPE -o value "/dev/$1" || true)" != ext3 ]; then return 1; fi
  for target in $(findmnt -nro TARGET --source "/dev/$1" || true); do
    if ! umount "$target"; then return 1; fi
  done
  look=$(mktemp -d)
  if ! mount -o ro "/dev/$1" "$look"; then return 1; fi
  if [ -n "$(find "$look" -mindepth 1 -maxdepth 1 ! -name lost+found -print -quit)" ]; then
    umount "$look"
    return 1
  fi
  umount "$look"
  rmdir "$look"
  sed -i "\#^/dev/$1[[:space:]]#d" /etc/fstab
  wipefs -qa "/dev/$1"
}

# prepare ROLE COUNT DISK...: mounts those of the role, and as many blank ones as are missing.
prepare() {
  local role=$1 count=$2 disk label number
  local -a blank=()
  shift 2
  for disk in "$@"; do
    label=$(blkid -p -s LABEL -o value "/dev/$disk" || true)
    case $label in
      "$role"-[0-9]*) place "$disk" "/$role/$${label#"$role"-}" ;;
      *) if [ -z "$(blkid -p "/dev/$disk" || true)" ] || as_delivered "$disk"; then blank+=("$disk"); fi ;;
    esac
  done
  for ((number = 1; number <= count; number++)); do
    if mountpoint -q "/$role/$number"; then continue; fi
    if [ "$${#blank[@]}" -eq 0 ]; then
      say "no blank disk is left for /$role/$number"
      exit 1
    fi
    mkfs.xfs -q -K -L "$role-$number" "/dev/$${blank[0]}"
    place "$${blank[0]}" "/$role/$number"
    blank=("$${blank[@]:1}")
  done
}

if [ "$volumes" -gt 0 ]; then prepare data "$volumes" "$${attached[@]}"; fi
if [ "$local_data" -gt 0 ]; then prepare data "$local_data" "$${own[@]}"; fi
if [ "$local_scratch" -gt 0 ]; then prepare scratch "$local_scratch" "$${own[@]}"; fi

mkdir -p "$${scratch_mounts[@]}" /etc/stowage
chmod 1777 "$${scratch_mounts[@]}"
{
  printf 'data=%s\n' "$(IFS=, && echo "$${data_mounts[*]}")"
  printf 'scratch=%s\n' "$(IFS=, && echo "$${scratch_mounts[*]}")"
} >/etc/stowage/directories
say "$${#data_mounts[@]} folders of data, $${#scratch_mounts[@]} of intermediate data"
END_OF_SCRIPT
}

variable "region" {
  type        = string
  default     = "us-east-1"
  description = "Where the nodes stand; prices are this region's."
}

variable "vpc_id" {
  type        = string
  default     = null
  description = "VPC of the nodes; null for the default VPC."
}

variable "subnet_ids" {
  type        = list(string)
  default     = []
  description = "One subnet of it; empty for the default VPC."
}

variable "key_name" {
  type        = string
  default     = null
  description = "Key pair for SSH; none is needed for Systems Manager."
}

data "aws_partition" "here" {}

data "aws_ec2_instance_type_offerings" "nodes" {
  location_type = "availability-zone"

  filter {
    name   = "instance-type"
    values = ["i2.8xlarge"]
  }
}

data "aws_vpc" "default" {
  count   = var.vpc_id == null ? 1 : 0
  default = true
}

data "aws_subnet" "default" {
  for_each          = toset(var.vpc_id == null ? local.zones : [])
  availability_zone = each.value
  default_for_az    = true
}

data "aws_ssm_parameter" "node_image" {
  name = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
}

resource "aws_security_group" "nodes" {
  name_prefix = "sort-with-two-copies-"
  description = "Nodes reach each other and the outside; no inbound access from the outside"
  vpc_id      = local.vpc_id
  tags        = local.tags

  ingress {
    description = "Among the nodes"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    self        = true
  }

  egress {
    description = "Updates, S3, Systems Manager"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

# By the security group's name, which nothing else has.
resource "aws_placement_group" "together" {
  name     = aws_security_group.nodes.name
  strategy = "cluster"
  tags     = local.tags
}

resource "aws_iam_role" "nodes" {
  name_prefix = "sort-with-two-copies-"
  tags        = local.tags

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "systems_manager" {
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:${data.aws_partition.here.partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "nodes" {
  name_prefix = "sort-with-two-copies-"
  role        = aws_iam_role.nodes.name
  tags        = local.tags
}

resource "aws_launch_template" "nodes" {
  name_prefix            = "sort-with-two-copies-nodes-"
  image_id               = data.aws_ssm_parameter.node_image.value
  instance_type          = "i2.8xlarge"
  key_name               = var.key_name
  vpc_security_group_ids = [aws_security_group.nodes.id]
  tags                   = local.tags
  user_data              = base64encode(local.user_data)

  iam_instance_profile {
    arn = aws_iam_instance_profile.nodes.arn
  }

  # Version 2 of the metadata service alone, and not for containers a hop away.
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  block_device_mappings {
    device_name = "/dev/xvda"

    ebs {
      volume_type           = "gp3"
      volume_size           = 32
      encrypted             = true
      delete_on_termination = true
    }
  }

  block_device_mappings {
    device_name  = "/dev/sdb"
    virtual_name = "ephemeral0"
  }

  block_device_mappings {
    device_name  = "/dev/sdc"
    virtual_name = "ephemeral1"
  }

  block_device_mappings {
    device_name  = "/dev/sdd"
    virtual_name = "ephemeral2"
  }

  block_device_mappings {
    device_name  = "/dev/sde"
    virtual_name = "ephemeral3"
  }

  block_device_mappings {
    device_name  = "/dev/sdf"
    virtual_name = "ephemeral4"
  }

  block_device_mappings {
    device_name  = "/dev/sdg"
    virtual_name = "ephemeral5"
  }

  block_device_mappings {
    device_name  = "/dev/sdh"
    virtual_name = "ephemeral6"
  }

  block_device_mappings {
    device_name  = "/dev/sdi"
    virtual_name = "ephemeral7"
  }

  tag_specifications {
    resource_type = "instance"
    tags          = local.tags
  }

  tag_specifications {
    resource_type = "volume"
    tags          = local.tags
  }
}

resource "aws_autoscaling_group" "nodes" {
  name_prefix         = "sort-with-two-copies-nodes-"
  min_size            = 186
  max_size            = 186
  desired_capacity    = 186
  vpc_zone_identifier = local.subnet_ids
  health_check_type   = "EC2"
  placement_group     = aws_placement_group.together.id

  # Moving nodes from zone to zone would move their data.
  suspended_processes       = ["AZRebalance"]
  wait_for_capacity_timeout = "30m"

  launch_template {
    id      = aws_launch_template.nodes.id
    version = aws_launch_template.nodes.latest_version
  }

  # The launch template tags the nodes.
  dynamic "tag" {
    for_each = local.tags

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = false
    }
  }
}

output "nodes_group" {
  value = aws_autoscaling_group.nodes.name
}

output "security_group_id" {
  value = aws_security_group.nodes.id
}
