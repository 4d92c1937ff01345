"""Units of a catalog's figures, by the names of the model's fields."""

INSTANCE_UNITS = {
    "vcpus": "1",
    "memory_gib": "GiB",
    "disk_count": "1",
    "disk_size_gb": "GB",
    "usd_per_hour": "USD/h",
    "ebs_usd_per_hour": "USD/h",
    "ebs_baseline_mb_per_s": "MB/s",
    "ebs_maximum_mb_per_s": "MB/s",
    "ebs_baseline_iops": "IOPS",
    "ebs_maximum_iops": "IOPS",
    "network_baseline_mb_per_s": "MB/s",
    "network_peak_mb_per_s": "MB/s",
    "most_volumes": "1",
    "spot_usd_per_hour": "USD/h",
    "one_year_usd_per_hour": "USD/h",
    "three_year_usd_per_hour": "USD/h",
    "cpu_baseline_share": "1",
}

VOLUME_UNITS = {
    "smallest_gib": "GiB",
    "largest_gib": "GiB",
    "annual_failure_rate": "1/a",
    "usd_per_gib_month": "USD per GiB and month",
    "usd_per_iops_month": "USD per IOPS and month",
    "usd_per_iops_month_above_32000": "USD per IOPS and month",
    "usd_per_iops_month_above_64000": "USD per IOPS and month",
    "usd_per_mib_per_s_month": "USD per MiB/s and month",
    "usd_per_million_io": "USD",
}
