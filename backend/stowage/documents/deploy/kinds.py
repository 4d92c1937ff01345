"""Bash functions that distinguish instance-store disks from EBS volumes at boot, on EC2 and EMR nodes."""

KINDS = """\
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
      device=${device##*/}
      device=${device#xvd}
      ephemeral="$ephemeral${device#sd} "
      ;;
  esac
done

kind() {
  case $(cat "/sys/block/$1/device/model" 2>/dev/null || true) in
    "Amazon EC2 NVMe Instance Storage"*) echo local ;;
    "Amazon Elastic Block Store"*) echo volume ;;
    *)
      local letters=${1#xvd}
      case $ephemeral in
        *" ${letters#sd} "*) echo local ;;
        *) echo volume ;;
      esac
      ;;
  esac
}
"""
"""``kind DISK`` prints ``local`` or ``volume``; DISK is the kernel's device name."""
