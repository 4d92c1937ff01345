"""Agent on a benchmarked machine: DiskBench, NetBench and Redis, controlled by orders, answering with signed reports.

Standard library alone, Python 3.9 and later, no import of ``stowage``: `stowage_worker.agent.bundle` packs these
modules into one file that a stock Linux runs. Results come from fio, from sockets and from Redis' own tools, and from
nowhere else.
"""
