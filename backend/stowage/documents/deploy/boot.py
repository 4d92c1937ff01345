"""User data of a node: a script that formats and mounts the disks at boot, according to their role."""

from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.kinds import KINDS

MOST_BYTES = 16_384
"""Limit of user data, before encoding (EC2 user guide, "Run commands when you launch an EC2 instance", 2026-11-20)."""

_SCRIPT = """\
#!/bin/bash
# Gives the disks of this node their roles, at every start: what is blank is formatted, and all are mounted.
# A disk that holds anything is never formatted; an empty ext3, as AWS makes on some types before NVMe, is nothing.
set -euo pipefail

local_data={local_data}       # disks of the instance itself for input and output: /data/1, /data/2, ...
local_scratch={local_scratch}    # disks of the instance itself for intermediate data: /scratch/1, ...
volumes={volumes}          # EBS volumes for input and output: /data/1, ...
data_mounts=({data_mounts})
scratch_mounts=({scratch_mounts})

# Disks of an instance are blank again when it was stopped and started: cloud-init runs this then too.
again=/var/lib/cloud/scripts/per-boot/stowage-disks.sh
if [ "$0" != "$again" ]; then
  mkdir -p "${{again%/*}}"
  cp "$0" "$again"
  chmod 755 "$again"
fi

say() {{
  printf 'stowage-disks: %s\\n' "$*"
  logger -t stowage-disks -- "$*" || true
}}

{kinds}
root=$(lsblk -ndo PKNAME "$(findmnt -nvo SOURCE /)")

# All disks of a kind but the one that this node starts from.
disks() {{
  local path name
  for path in /sys/block/nvme*n1 /sys/block/xvd* /sys/block/sd*; do
    name=${{path##*/}}
    if [ -e "$path" ] && [ "$name" != "$root" ] && [ "$(kind "$name")" = "$1" ]; then echo "$name"; fi
  done
}}

for ((attempt = 0; attempt < 60; attempt++)); do
  mapfile -t own < <(disks local)
  mapfile -t attached < <(disks volume)
  if [ "${{#own[@]}}" -ge $((local_data + local_scratch)) ] && [ "${{#attached[@]}}" -ge "$volumes" ]; then break; fi
  sleep 2
done

place() {{
  mkdir -p "$2"
  if ! mountpoint -q "$2"; then mount -o noatime,nodiratime "/dev/$1" "$2"; fi
  chmod 1777 "$2"
}}

# as_delivered DISK: whether a disk of the instance holds nothing but the file system that AWS delivered it with
# (cloud-init may have mounted it, and noted it in fstab). Where it is so, it is blank then.
as_delivered() {{
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
  sed -i "\\#^/dev/$1[[:space:]]#d" /etc/fstab
  wipefs -qa "/dev/$1"
}}

# prepare ROLE COUNT DISK...: mounts those of the role, and as many blank ones as are missing.
prepare() {{
  local role=$1 count=$2 disk label number
  local -a blank=()
  shift 2
  for disk in "$@"; do
    label=$(blkid -p -s LABEL -o value "/dev/$disk" || true)
    case $label in
      "$role"-[0-9]*) place "$disk" "/$role/${{label#"$role"-}}" ;;
      *) if [ -z "$(blkid -p "/dev/$disk" || true)" ] || as_delivered "$disk"; then blank+=("$disk"); fi ;;
    esac
  done
  for ((number = 1; number <= count; number++)); do
    if mountpoint -q "/$role/$number"; then continue; fi
    if [ "${{#blank[@]}}" -eq 0 ]; then
      say "no blank disk is left for /$role/$number"
      exit 1
    fi
    mkfs.xfs -q -K -L "$role-$number" "/dev/${{blank[0]}}"
    place "${{blank[0]}}" "/$role/$number"
    blank=("${{blank[@]:1}}")
  done
}}

if [ "$volumes" -gt 0 ]; then prepare data "$volumes" "${{attached[@]}}"; fi
if [ "$local_data" -gt 0 ]; then prepare data "$local_data" "${{own[@]}}"; fi
if [ "$local_scratch" -gt 0 ]; then prepare scratch "$local_scratch" "${{own[@]}}"; fi

mkdir -p "${{scratch_mounts[@]}}" /etc/stowage
chmod 1777 "${{scratch_mounts[@]}}"
{{
  printf 'data=%s\\n' "$(IFS=, && echo "${{data_mounts[*]}}")"
  printf 'scratch=%s\\n' "$(IFS=, && echo "${{scratch_mounts[*]}}")"
}} >/etc/stowage/directories
say "${{#data_mounts[@]}} folders of data, ${{#scratch_mounts[@]}} of intermediate data"
"""


def user_data(deployment: Deployment) -> str:
    """Return the script that a node runs at each boot.

    Parameters
    ----------
    deployment : Deployment
        The deployment; texts in it that users wrote are not put into the script.

    Returns
    -------
    str
        The script, in Bash.

    Raises
    ------
    ValueError
        The script is longer than EC2 accepts.
    """
    script = _SCRIPT.format(
        kinds=KINDS,
        local_data=deployment.input_output_disks,
        local_scratch=deployment.intermediate_disks,
        volumes=0 if deployment.volumes is None else deployment.volumes.count,
        data_mounts=" ".join(deployment.input_output_mounts),
        scratch_mounts=" ".join(deployment.intermediate_mounts),
    )
    if len(script.encode()) > MOST_BYTES:
        raise ValueError(f"user data of {len(script.encode()):,} bytes: EC2 takes {MOST_BYTES:,}")
    return script
