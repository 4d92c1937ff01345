"""User data of a node: set the timers that terminate it, then fetch and run the agent."""

from datetime import datetime
from math import ceil
from shlex import quote

MOST_BYTES = 16_384
"""Maximum size before encoding [bytes] (EC2 user guide, "Run commands when you launch an EC2 instance", 2026-11-20)."""

# User data must not contain secrets: roles that may describe instances can read it, and so can every program on the
# node. The presigned URLs give access to two files for an hour.
_SCRIPT = """#!/bin/bash
# A node of a benchmark run of Stowage. It ends itself: shutting down is terminating it.
deadline={deadline}
longest={longest}
left=$((deadline - $(date +%s)))
# A clock that is wrong must not keep the node alive.
if [ "$left" -gt "$longest" ]; then left=$longest; fi
if [ "$left" -lt 1 ]; then shutdown -h now; exit 0; fi
ends_at=$(($(date +%s) + left))
# Two timers that know nothing of each other, before anything is fetched.
shutdown -h "+$((left / 60))" "Stowage: the time of this run is over" || true
setsid bash -c "sleep $left; until shutdown -h now; do sleep 5; done" </dev/null >/dev/null 2>&1 &
umask 077
cd "$(mktemp -d)" || exit 1
python3 - {agent_url} {sha256} <<'EOF'
import hashlib, sys, time, urllib.request
for attempt in range(60):
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=20) as answer:
            content = answer.read()
        break
    except OSError as error:
        print("the agent was not fetched:", error, file=sys.stderr)
        time.sleep(min(1 + attempt, 10))
else:
    sys.exit("the agent cannot be fetched")
if hashlib.sha256(content).hexdigest() != sys.argv[2]:
    sys.exit("this is not the agent that was to be run")
with open("agent.pyz", "wb") as file:
    file.write(content)
EOF
if [ $? -ne 0 ]; then shutdown -h now; exit 1; fi
exec python3 agent.pyz node --roll {roll_url} --ends-at "$ends_at"
"""


def user_data(*, agent_url: str, sha256: str, roll_url: str, deadline: datetime, longest_s: float) -> str:
    """Return the user data script of a node.

    Parameters
    ----------
    agent_url, roll_url : str
        Presigned URLs of the agent and of the roll.
    sha256 : str
        SHA-256 of the agent, in hex.
    deadline : datetime
        Latest time at which the node terminates itself.
    longest_s : float
        Maximum time from the node's start to its self-termination, independent of the node's clock [s].

    Raises
    ------
    ValueError
        The script exceeds `MOST_BYTES`.
    """
    script = _SCRIPT.format(
        deadline=int(deadline.timestamp()),
        longest=max(ceil(longest_s), 0),
        agent_url=quote(agent_url),
        sha256=quote(sha256),
        roll_url=quote(roll_url),
    )
    if len(script.encode()) > MOST_BYTES:
        raise ValueError(f"user data of {len(script.encode()):,} bytes: EC2 takes {MOST_BYTES:,}")
    return script
