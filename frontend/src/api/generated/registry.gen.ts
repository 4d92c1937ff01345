// This file is auto-generated from openapi.json by scripts/registry.mjs

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
