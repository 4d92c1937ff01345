"""Agent on a benchmarked machine: runs DiskBench, NetBench and Redis as ordered, and sends signed reports.

The agent uses only the standard library of Python 3.9 and later and does not import ``stowage``:
`stowage_worker.agent.bundle` packs these modules into one file that a stock Linux runs. All results come from fio,
from sockets and from Redis' own tools.
"""
