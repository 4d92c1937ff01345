// This file is auto-generated from openapi.json by scripts/registry.mjs

export const COST_PARTS = [
  {
    "name": "instances",
    "label": "Instances while the job runs",
    "month_label": "Worker nodes"
  },
  {
    "name": "launch",
    "label": "Launch, set-up, minimum",
    "month_label": "Launch, set-up, minimum"
  },
  {
    "name": "idle_commitment",
    "label": "Hours of a commitment that no run needs",
    "month_label": "Hours of a commitment that no run needs"
  },
  {
    "name": "screening",
    "label": "Spare nodes that are measured and given back",
    "month_label": "Spare nodes that are measured and given back"
  },
  {
    "name": "ebs_link",
    "label": "EBS link",
    "month_label": "EBS link"
  },
  {
    "name": "ebs_volumes",
    "label": "EBS volumes",
    "month_label": "EBS volumes"
  },
  {
    "name": "volume_io",
    "label": "Volume I/Os",
    "month_label": "Volume I/Os"
  },
  {
    "name": "object_store",
    "label": "Object store",
    "month_label": "Object store: requests and storage"
  },
  {
    "name": "head_nodes",
    "label": "Head node",
    "month_label": "Head node"
  },
  {
    "name": "emr_fee",
    "label": "EMR fee",
    "month_label": "EMR fee"
  },
  {
    "name": "traffic",
    "label": "Traffic between zones",
    "month_label": "Traffic between zones"
  },
  {
    "name": "rework",
    "label": "Rework after interruptions",
    "month_label": "Rework after interruptions"
  }
] as const;

export const RISK_LEVELS = [
  {
    "name": "low",
    "most": 0.05
  },
  {
    "name": "moderate",
    "most": 0.2
  },
  {
    "name": "high",
    "most": 1
  }
] as const;

export const NEAR_TIE = 0.02;

export const SWEEP_QUANTITIES = [
  {
    "name": "data",
    "in_text": "data size",
    "label": "Data size",
    "section": "workload",
    "field": "data",
    "hint": "1 TB, 3 TB, 10 TB, or 1 TB to 1 PB, 7 steps",
    "suggested": "1 TB, 3 TB, 10 TB, 30 TB, 100 TB, 300 TB, 1 PB",
    "amounts": "sizes"
  },
  {
    "name": "deadline",
    "in_text": "deadline",
    "label": "Deadline",
    "section": "limits",
    "field": "deadline",
    "hint": "15 min, 30 min, 1 h, or 10 min to 8 h, 6 steps",
    "suggested": "10 min, 15 min, 30 min, 1 h, 2 h, 4 h, 8 h",
    "amounts": "durations"
  },
  {
    "name": "durability",
    "in_text": "durability",
    "label": "Durability",
    "section": "workload",
    "field": "durability",
    "hint": "none, copies, EBS",
    "suggested": "none, copies, EBS",
    "amounts": null
  },
  {
    "name": "replicas",
    "in_text": "copies of the output",
    "label": "Copies of the output",
    "section": "workload",
    "field": "durability",
    "hint": "1, 2, 3, or 1 to 5",
    "suggested": "1, 2, 3",
    "amounts": null
  },
  {
    "name": "region",
    "in_text": "region",
    "label": "Region",
    "section": "place",
    "field": "region",
    "hint": "us-east-1",
    "suggested": "us-east-1",
    "amounts": null
  },
  {
    "name": "purchase",
    "in_text": "purchase option",
    "label": "Purchase option",
    "section": "place",
    "field": "purchase",
    "hint": "on-demand",
    "suggested": "on-demand",
    "amounts": null
  }
] as const;

export const TOOLS = [
  {
    "name": "fio",
    "title": "fio"
  },
  {
    "name": "sysbench",
    "title": "sysbench"
  },
  {
    "name": "diskbench",
    "title": "DiskBench"
  },
  {
    "name": "iperf3",
    "title": "iperf3"
  },
  {
    "name": "iperf",
    "title": "iperf"
  },
  {
    "name": "netperf",
    "title": "netperf"
  },
  {
    "name": "netbench",
    "title": "NetBench"
  },
  {
    "name": "redis-benchmark",
    "title": "redis-benchmark"
  },
  {
    "name": "memtier_benchmark",
    "title": "memtier_benchmark"
  },
  {
    "name": "testdfsio",
    "title": "TestDFSIO"
  },
  {
    "name": "terasort",
    "title": "TeraSort"
  },
  {
    "name": "iostat",
    "title": "iostat"
  },
  {
    "name": "sar",
    "title": "sar"
  },
  {
    "name": "vnstat",
    "title": "vnStat"
  },
  {
    "name": "cloudwatch",
    "title": "CloudWatch"
  },
  {
    "name": "perfkit",
    "title": "PerfKitBenchmarker"
  },
  {
    "name": "csv",
    "title": "CSV"
  }
] as const;

export const VOLUME_TYPES = [
  {
    "name": "gp3",
    "provisions": [
      "iops",
      "throughput"
    ]
  },
  {
    "name": "gp2",
    "provisions": []
  },
  {
    "name": "io2",
    "provisions": [
      "iops"
    ]
  },
  {
    "name": "io1",
    "provisions": [
      "iops"
    ]
  },
  {
    "name": "st1",
    "provisions": []
  },
  {
    "name": "sc1",
    "provisions": []
  },
  {
    "name": "standard",
    "provisions": []
  }
] as const;
