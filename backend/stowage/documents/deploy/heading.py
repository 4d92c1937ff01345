"""Header of every deployment file: the cluster, the prediction, and the parts of the file that were not tested."""

from textwrap import wrap

from stowage.documents.deploy.deployment import Deployment
from stowage.documents.deploy.quoting import comment_text, tag_value

_WIDTH = 110


def what(deployment: Deployment) -> str:
    """Return one line that describes the cluster.

    Examples
    --------
    >>> from stowage.documents.deploy.deployment import Predicted
    >>> what(Deployment("", "us-east-1", "i4i.large", "x86_64", 3, Predicted("", "", "", ""), input_output_disks=1))
    '3 x i4i.large in us-east-1, all data on 1 own disk each, on demand'
    """
    parts = [f"{deployment.nodes:,} x {deployment.instance} in {deployment.region}", storage(deployment)]
    if deployment.primary is not None:
        parts.append(f"1 x {deployment.primary.instance} that holds no data")
    if deployment.placement_group:
        parts.append("in a cluster placement group")
    if deployment.zones > 1:
        parts.append(f"over {deployment.zones} availability zones")
    parts.append("at spot prices" if deployment.spot else "on demand")
    return ", ".join(parts)


def storage(deployment: Deployment) -> str:
    """Describe a node's storage in words."""
    outer, inner = deployment.input_output_disks, deployment.intermediate_disks
    own = f"{inner} own disk{'s' if inner != 1 else ''} each"
    if deployment.object_store:
        return "input and output in S3, intermediate data on " + (own if inner else "the root volume")
    volumes = deployment.volumes
    if volumes is not None:
        asked = [] if volumes.iops is None else [f"{volumes.iops:,} IOPS"]
        asked += [] if volumes.throughput_mib_per_s is None else [f"{volumes.throughput_mib_per_s:,} MiB/s"]
        provisioned = f" of {' and '.join(asked)}" if asked else ""
        on = f"{volumes.count} x {volumes.size_gib:,} GiB {volumes.volume_type}{provisioned} each"
        return on + (f", intermediate data on {own}" if inner else "")
    if inner == 0:
        return f"all data on {outer} own disk{'s' if outer != 1 else ''} each"
    return f"disks {outer} + {inner} (input and output + intermediate data)"


def head(deployment: Deployment, title: str, how: tuple[str, ...], untried: tuple[str, ...]) -> str:
    """Return the header comment of a file.

    Parameters
    ----------
    deployment : Deployment
    title : str
        Kind of file.
    how : tuple of str
        Lines of the instructions, which are not wrapped.
    untried : tuple of str
        Parts that were not tested.
    """
    predicted = deployment.predicted
    name = comment_text(deployment.name)
    tagged = tag_value(deployment.name)
    lines = [f"{title}: {what(deployment)}."]
    if name:
        lines.append(f"Name: {name}")
        if tagged != deployment.name:
            lines.append(
                f"In tags: {tagged or 'no name'} (AWS takes letters, digits, spaces and _.:/=+-@; other signs became _)"
            )
    lines += [
        f"Predicted: {comment_text(predicted.time)} for {comment_text(predicted.cost)} a run.",
        f"By: {comment_text(predicted.basis)}.",
    ]
    lines += [f"Not tried: {line}" for line in untried]
    return "".join(f"# {line}".rstrip() + "\n" for line in (*folded(tuple(lines)), "", *how))


def folded(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Wrap long lines of a comment."""
    return tuple(
        part for line in lines for part in wrap(line, _WIDTH, subsequent_indent="  ", break_on_hyphens=False) or [""]
    )


def tags_of(deployment: Deployment) -> tuple[tuple[str, str], ...]:
    """Return the sanitized tags that every resource in a file gets; the name comes first."""
    name = tag_value(deployment.name) or "stowage"
    return (("Name", name), *((key, tag_value(value)) for key, value in deployment.tags))
