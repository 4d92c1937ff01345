"""Terraform: the same resources as the CloudFormation template."""

from collections.abc import Mapping

from stowage.documents.deploy.boot import user_data
from stowage.documents.deploy.cloudformation import MANAGED_POLICY
from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.devices import Device, devices
from stowage.documents.deploy.heading import head, tags_of
from stowage.documents.deploy.quoting import file_stem, hcl_heredoc, hcl_string

PROVIDER = ">= 5.40.0, < 7.0.0"
"""Versions of hashicorp/aws. Tests compare the arguments with a list from the provider's documentation."""

SINCE_FASTER_GP3 = "> 6.8.0, < 7.0.0"
"""Up to 6.8.0 the provider rejects volumes of more than 1,000 MiB/s (hashicorp/terraform-provider-aws, issue 44762)."""

_LONG_TAKEN_MIB_PER_S = 1_000


def configuration(deployment: Deployment) -> str:
    """Return the Terraform configuration of a deployment: one file, to be put into a directory of its own."""
    parts = [
        _head(deployment),
        _settings(deployment),
        _variables(deployment),
        _data(deployment),
        _network(deployment),
        _role(deployment),
        _launch_template(deployment),
        _group(deployment, "nodes", deployment.nodes),
    ]
    if deployment.primary is not None:
        parts += [_launch_template(deployment, primary=True), _group(deployment, "primary", 1)]
    parts.append(_outputs(deployment))
    return "\n".join(parts)


def _head(deployment: Deployment) -> str:
    how = (
        "terraform init && terraform plan && terraform apply; terraform destroy ends all nodes.",
        "Without vpc_id and subnet_ids it goes to the default VPC.",
        "A shell on a node: aws ssm start-session --target i-...  Its folders: /etc/stowage/directories.",
    )
    untried = (
        "`terraform validate`, which needs the provider, and AWS itself. In Stowage's tests such files are "
        "parsed, and their arguments held against a list from the provider's documentation."
    )
    return head(deployment, "Terraform", how, (untried,))


def _settings(deployment: Deployment) -> str:
    volumes = deployment.volumes
    fast = volumes is not None and (volumes.throughput_mib_per_s or 0) > _LONG_TAKEN_MIB_PER_S
    tags = _arguments({hcl_string(key): hcl_string(value) for key, value in tags_of(deployment)}, 4)
    return f"""\
terraform {{
  required_version = ">= 1.3.0"
  required_providers {{
    aws = {{
      source  = "hashicorp/aws"
      version = {hcl_string(SINCE_FASTER_GP3 if fast else PROVIDER)}
    }}
  }}
}}

provider "aws" {{
  region = var.region
}}

locals {{
  tags = {{
{tags}  }}
  vpc_id     = var.vpc_id == null ? data.aws_vpc.default[0].id : var.vpc_id
  subnet_ids = length(var.subnet_ids) > 0 ? var.subnet_ids : local.default_subnet_ids

  # Of the default VPC one subnet in each of the first zones that have the type; local zones have longer names.
  offered            = {_offered(deployment)}
  regional           = [for zone in local.offered : zone if length(zone) == length(var.region) + 1]
  zones              = slice(sort(local.regional), 0, {deployment.zones})
  default_subnet_ids = [for zone in local.zones : data.aws_subnet.default[zone].id if var.vpc_id == null]
  user_data          = {hcl_heredoc(user_data(deployment))}
}}
"""


def _types(deployment: Deployment) -> dict[str, str]:
    """Return the instance types that a zone must offer, by use: ``nodes`` and, if it differs, ``primary``."""
    primary = deployment.primary
    other = {} if primary is None or primary.instance == deployment.instance else {"primary": primary.instance}
    return {"nodes": deployment.instance, **other}


def _offered(deployment: Deployment) -> str:
    lists = [f"data.aws_ec2_instance_type_offerings.{name}.locations" for name in _types(deployment)]
    return f"setintersection({', '.join(lists)})" if len(lists) > 1 else lists[0]


def _variables(deployment: Deployment) -> str:
    zones = deployment.zones
    subnets = "One subnet of it" if zones == 1 else f"{zones} subnets of it, each in a zone of its own"
    found = [
        _variable(
            "region", "string", hcl_string(deployment.region), "Where the nodes stand; prices are this region's."
        ),
        _variable("vpc_id", "string", "null", "VPC of the nodes; null for the default VPC."),
        _variable("subnet_ids", "list(string)", "[]", f"{subnets}; empty for the default VPC."),
        _variable("key_name", "string", "null", "Key pair for SSH; none is needed for Systems Manager."),
    ]
    if deployment.object_store:
        words = "Bucket of input and output, which the nodes may then read and write; null for none."
        found.append(_variable("data_bucket", "string", "null", words))
    if deployment.volumes is not None:
        words = "Whether volumes of data outlive their node, and cost until they are deleted."
        found.append(_variable("keep_volumes", "bool", "true" if deployment.stays else "false", words))
    return "\n".join(found)


def _variable(name: str, kind: str, default: str, words: str) -> str:
    return f"""\
variable "{name}" {{
  type        = {kind}
  default     = {default}
  description = {hcl_string(words)}
}}
"""


def _data(deployment: Deployment) -> str:
    parameters = "".join(
        f"""
data "aws_ssm_parameter" "{name}_image" {{
  name = {hcl_string(parameter)}
}}
"""
        for name, parameter in deployment.images.items()
    )
    offerings = "".join(
        f"""
data "aws_ec2_instance_type_offerings" "{name}" {{
  location_type = "availability-zone"

  filter {{
    name   = "instance-type"
    values = [{hcl_string(instance)}]
  }}
}}
"""
        for name, instance in _types(deployment).items()
    )
    return f"""\
data "aws_partition" "here" {{}}
{offerings}
data "aws_vpc" "default" {{
  count   = var.vpc_id == null ? 1 : 0
  default = true
}}

data "aws_subnet" "default" {{
  for_each          = toset(var.vpc_id == null ? local.zones : [])
  availability_zone = each.value
  default_for_az    = true
}}
{parameters}"""


def _network(deployment: Deployment) -> str:
    group = f"""\
resource "aws_security_group" "nodes" {{
  name_prefix = {hcl_string(file_stem(deployment.name) + "-")}
  description = "Nodes reach each other and the outside; no inbound access from the outside"
  vpc_id      = local.vpc_id
  tags        = local.tags

  ingress {{
    description = "Among the nodes"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    self        = true
  }}

  egress {{
    description = "Updates, S3, Systems Manager"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }}
}}
"""
    if not deployment.placement_group:
        return group
    return f"""\
{group}
# By the security group's name, which nothing else has.
resource "aws_placement_group" "together" {{
  name     = aws_security_group.nodes.name
  strategy = "cluster"
  tags     = local.tags
}}
"""


def _role(deployment: Deployment) -> str:
    stem = file_stem(deployment.name)[:30]
    text = f"""\
resource "aws_iam_role" "nodes" {{
  name_prefix = {hcl_string(stem + "-")}
  tags        = local.tags

  assume_role_policy = jsonencode({{
    Version = "2012-10-17"
    Statement = [{{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = {{ Service = "ec2.amazonaws.com" }}
    }}]
  }})
}}

resource "aws_iam_role_policy_attachment" "systems_manager" {{
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:${{data.aws_partition.here.partition}}:{MANAGED_POLICY}"
}}

resource "aws_iam_instance_profile" "nodes" {{
  name_prefix = {hcl_string(stem + "-")}
  role        = aws_iam_role.nodes.name
  tags        = local.tags
}}
"""
    if not deployment.object_store:
        return text
    return f"""\
{text}
resource "aws_iam_role_policy" "data" {{
  count = var.data_bucket == null ? 0 : 1
  name  = "data"
  role  = aws_iam_role.nodes.id

  policy = jsonencode({{
    Version = "2012-10-17"
    Statement = [
      {{
        Effect   = "Allow"
        Action   = ["s3:ListBucket", "s3:GetBucketLocation"]
        Resource = "arn:${{data.aws_partition.here.partition}}:s3:::${{var.data_bucket}}"
      }},
      {{
        Effect   = "Allow"
        Action   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
        Resource = "arn:${{data.aws_partition.here.partition}}:s3:::${{var.data_bucket}}/*"
      }}
    ]
  }})
}}
"""


def _launch_template(deployment: Deployment, *, primary: bool = False) -> str:
    image = "primary" if primary else "node"
    name = "primary" if primary else "nodes"
    own = "" if primary else _of_nodes(deployment)
    blocks = "".join(_mapping(device) for device in devices(deployment, primary=primary))
    return f"""\
resource "aws_launch_template" "{name}" {{
  name_prefix            = {hcl_string(f"{file_stem(deployment.name)}-{name}-")}
  image_id               = data.aws_ssm_parameter.{image}_image.value
  instance_type          = {hcl_string(deployment.instance_of(primary=primary))}
  key_name               = var.key_name
  vpc_security_group_ids = [aws_security_group.nodes.id]
  tags                   = local.tags
{own}
  iam_instance_profile {{
    arn = aws_iam_instance_profile.nodes.arn
  }}

  # Version 2 of the metadata service alone, and not for containers a hop away.
  metadata_options {{
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }}
{blocks}
  tag_specifications {{
    resource_type = "instance"
    tags          = local.tags
  }}

  tag_specifications {{
    resource_type = "volume"
    tags          = local.tags
  }}
}}
"""


def _of_nodes(deployment: Deployment) -> str:
    lines = ["  user_data              = base64encode(local.user_data)"]
    if deployment.ebs_optimized:
        lines.append("  ebs_optimized          = true")
    if deployment.bursts:
        lines += [
            "",
            "  # As they come, they go on without credits, and AWS charges for it: no prediction holds that.",
            "  credit_specification {",
            '    cpu_credits = "standard"',
            "  }",
        ]
    if deployment.spot:
        lines += [
            "",
            "  instance_market_options {",
            '    market_type = "spot"',
            "",
            "    spot_options {",
            '      spot_instance_type = "one-time"',
            "    }",
            "  }",
        ]
    return "".join(f"{line}\n" for line in lines)


def _mapping(device: Device) -> str:
    volume, named = device.volume, {"device_name": hcl_string(device.name)}
    if volume is None:
        body = _arguments({**named, "virtual_name": hcl_string(device.virtual or "")}, 4)
    else:
        ebs = {
            "volume_type": hcl_string(volume["VolumeType"]),
            "volume_size": str(volume["VolumeSize"]),
            "encrypted": "true",
            "delete_on_termination": "!var.keep_volumes" if device.kept else "true",
            **{name.lower(): str(volume[name]) for name in ("Iops", "Throughput") if name in volume},
        }
        body = f"{_arguments(named, 4)}\n    ebs {{\n{_arguments(ebs, 6)}    }}\n"
    return f"\n  block_device_mappings {{\n{body}  }}\n"


def _arguments(values: Mapping[str, str], indent: int) -> str:
    """Return the lines of arguments, with their values aligned."""
    wide = max(map(len, values))
    return "".join(f"{' ' * indent}{name:<{wide}} = {value}\n" for name, value in values.items())


def _group(deployment: Deployment, name: str, count: int) -> str:
    together = name == "nodes" and deployment.placement_group
    placement = "  placement_group     = aws_placement_group.together.id\n" if together else ""
    return f"""\
resource "aws_autoscaling_group" "{name}" {{
  name_prefix         = {hcl_string(f"{file_stem(deployment.name)}-{name}-")}
  min_size            = {count}
  max_size            = {count}
  desired_capacity    = {count}
  vpc_zone_identifier = local.subnet_ids
  health_check_type   = "EC2"
{placement}
  # Moving nodes from zone to zone would move their data.
  suspended_processes       = ["AZRebalance"]
  wait_for_capacity_timeout = "30m"

  launch_template {{
    id      = aws_launch_template.{name}.id
    version = aws_launch_template.{name}.latest_version
  }}

  # The launch template tags the nodes.
  dynamic "tag" {{
    for_each = local.tags

    content {{
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = false
    }}
  }}
}}
"""


def _outputs(deployment: Deployment) -> str:
    found = {"nodes_group": "aws_autoscaling_group.nodes.name", "security_group_id": "aws_security_group.nodes.id"}
    if deployment.primary is not None:
        found["primary_group"] = "aws_autoscaling_group.primary.name"
    return "\n".join(f'output "{name}" {{\n  value = {value}\n}}\n' for name, value in found.items())
