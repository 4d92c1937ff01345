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

/** Sign in front of an amount by currency; null for a currency that is written with its code. */
export const CURRENCY_SIGNS = {
  "USD": "$",
  "EUR": "€",
  "GBP": "£",
  "JPY": "¥",
  "CHF": null,
  "INR": "₹",
  "BRL": "R$",
  "CAD": "CA$",
  "AUD": "A$",
  "SEK": null,
  "NOK": null,
  "DKK": null,
  "PLN": null,
  "KRW": "₩",
  "SGD": "S$",
  "CNY": "CN¥",
  "CZK": null,
  "HKD": "HK$",
  "HUF": null,
  "IDR": null,
  "ILS": "₪",
  "MXN": "MX$",
  "NZD": "NZ$",
  "RON": null,
  "THB": null,
  "TRY": "₺",
  "TWD": "NT$",
  "ZAR": null
} as const;

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

export const CELL_COLOURS = {
  "scale": [
    {
      "fill": "light-dark(#fff4b0, #182b59)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#f7f1aa, #152f5e)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#eeeea4, #0f3464)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#e5eb9f, #073969)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#dbe89a, #003e6e)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#d1e697, #004372)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#c6e394, #004876)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#bbe091, #004e7a)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#b0dd90, #00537d)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#a4da8f, #005980)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#99d88f, #005e82)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#8cd48f, #006484)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#7fd190, #006985)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#72ce91, #006f86)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#64ca93, #007486)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#56c795, #007986)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#46c397, #007f86)",
      "ink": "light-dark(#000000, #ffffff)"
    },
    {
      "fill": "light-dark(#34bf99, #008485)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#1dbb9b, #008984)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#00b69d, #008d82)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#00b29f, #009281)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#00ada1, #00977f)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#00a8a2, #009b7d)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#00a3a3, #009f7b)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#009ea4, #14a379)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#0098a5, #2fa777)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#0093a5, #42aa75)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#008da5, #52ae73)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#0087a4, #60b172)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#0082a3, #6db471)",
      "ink": "light-dark(#000000, #000000)"
    },
    {
      "fill": "light-dark(#007ca1, #79b770)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#00769f, #85ba70)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#00709c, #91bd71)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#006b99, #9cc072)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#0b6595, #a7c274)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#196091, #b1c577)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#215a8c, #bbc87b)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#275587, #c4ca7f)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#2b5082, #cdcd84)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#2e4a7c, #d6d08a)",
      "ink": "light-dark(#ffffff, #000000)"
    },
    {
      "fill": "light-dark(#304676, #ded390)",
      "ink": "light-dark(#ffffff, #000000)"
    }
  ],
  "families": [
    [
      {
        "fill": "light-dark(#d6efff, #172b3b)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#cce9ff, #193043)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c2e2ff, #1a354c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#b8dcfc, #1b3b54)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#afd6f9, #1d405c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#a5d0f6, #1e4665)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#9bcaf3, #1f4b6e)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#91c4f0, #205177)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#87beec, #215780)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#7db8e9, #225c89)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#73b1e6, #236292)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#fde7cf, #362512)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f9e0c4, #3d2912)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f5d9b9, #442e12)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f1d2af, #4b3213)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#edcaa4, #523712)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e9c399, #5a3b12)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e4bc8e, #613f11)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e0b583, #694410)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#dcae78, #71490f)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#d8a76d, #794d0d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#d3a062, #81520a)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#d5f4e2, #162f22)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#cbefda, #173526)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c1e9d2, #183b2a)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#b7e4ca, #18412d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#addfc3, #194731)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#a3d9bb, #194e35)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#99d4b3, #195439)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#8fceac, #195a3d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#84c9a4, #186141)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#7ac49d, #186845)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#6fbe95, #176e4a)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#ffe1ef, #38212c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#fed9e9, #3f2431)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#fad1e3, #472737)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f6c9dd, #4e2b3c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f3c0d7, #562e42)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#efb8d1, #5e3248)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#ebb0cb, #66354d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e7a8c5, #6e3953)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e3a0bf, #763d59)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#df98b9, #7e405f)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#db91b4, #874465)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#eceed0, #2a2b12)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e6e8c5, #2f3013)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#dfe2ba, #343513)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#d9dbb0, #3a3a13)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#d3d5a5, #3f4013)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#cdcf9a, #454513)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c7c990, #4a4b12)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c0c385, #505112)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#babd7a, #565610)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#b4b76f, #5c5c0e)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#aeb164, #61620c)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#ffe2dc, #3a211d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#ffdad3, #422520)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#ffd2ca, #4a2823)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#fccac1, #522c26)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f8c2b8, #5a2f29)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f5bab0, #62332c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#f1b2a7, #6b372f)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#eeaa9f, #733a31)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#eaa296, #7c3e35)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e79b8e, #854238)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e39385, #8d453b)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#cdf4f6, #0b2f31)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c2eef1, #083537)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#b6e9ec, #043b3d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#abe4e7, #004144)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#9fdee1, #00474a)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#93d9dc, #004d51)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#87d3d7, #005358)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#7aced2, #005a5f)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#6dc9ce, #006066)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#5fc3c9, #00676d)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#4fbec4, #006e74)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ],
    [
      {
        "fill": "light-dark(#ede6ff, #2a253b)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e6dfff, #2f2943)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#e0d8fe, #352d4b)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#dad1fb, #3a3253)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#d3c9f7, #40365b)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#cdc2f4, #453a64)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c7bbf1, #4b3f6c)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#c1b4ee, #514375)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#bbadea, #56487e)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#b5a5e7, #5c4c87)",
        "ink": "light-dark(#000000, #ffffff)"
      },
      {
        "fill": "light-dark(#af9ee4, #625190)",
        "ink": "light-dark(#000000, #ffffff)"
      }
    ]
  ]
} as const;

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
