"""A machine that boots user data: own namespaces, a root overlaid on this machine's, and own disks.

Its files disappear with it. It can power itself off, at once or later, as `shutdown` does; that is how the outside
learns of it. Nothing in it can reach the init system of this machine.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from select import select
from signal import SIGKILL, SIGSTOP, pidfd_send_signal
from typing import Literal

import psutil

from laboratory.namespaces import run

Ending = Literal["powered off", "crashed"]

_BOOT = """#!/bin/bash
# Runs as the first process of a machine: makes it a root of its own, and becomes what boots in there.
set -eu
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
cd /mnt/root
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
for each in dev/shm run tmp; do mount -t tmpfs tmpfs $each; done
mkdir run/machine
mount --bind "$1" run/machine
hostname "$2"
exec chroot . /bin/bash /run/machine/init
"""

_INIT = """#!/bin/bash
# The first process. The machine is off when it ends; all others end with it.
cd /
mkfifo /run/power
exec 3<>/run/power
/run/machine/user-data >>/run/machine/console.log 2>&1 </dev/null &
read -r _ <&3
exit 0
"""

_SHUTDOWN = """#!/bin/bash
# As `shutdown`: now, or after so many minutes, or -c to take that back. What waits can be seen from outside.
when=+1
for word in "$@"; do
  case $word in
    -c) rm -f /run/machine/timers/*; exit 0 ;;
    -*) ;;
    now) when=+0; break ;;
    +[0-9]*) when=$word; break ;;  # what comes behind it is a message
    *) echo "shutdown: $word is not a time that is known here" >&2; exit 1 ;;
  esac
done
seconds=$(( ${when#+} * 60 ))
if [ "$seconds" = 0 ]; then echo off >/run/power; exit 0; fi
timer=$(mktemp /run/machine/timers/XXXXXX)
echo $(( $(date +%s) + seconds )) >"$timer"
setsid bash -c "sleep $seconds; if [ -e $timer ]; then echo off >/run/power; fi" >/dev/null 2>&1 </dev/null &
"""

_OFF = "#!/bin/bash\necho off >/run/power\n"
_ABSENT = '#!/bin/bash\necho "${0##*/}: not on this machine" >&2\nexit 1\n'
_COMMANDS = {
    "shutdown": _SHUTDOWN,
    **dict.fromkeys(("poweroff", "halt"), _OFF),
    **dict.fromkeys(("systemd-run", "systemctl", "reboot", "at", "dnf", "yum", "apt-get"), _ABSENT),
}
"""Commands that would reach the init system, or packages from outside."""

_PATH = "/run/machine/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Machine:
    """A running machine.

    Parameters
    ----------
    folder : Path
        Its folder outside: ``console.log`` holds its output.
    namespace : str
        Its network namespace.
    name : str
    user_data : bytes
        Script that it runs at boot; the first line names its interpreter.
    disks : sequence of str
        Its block devices.
    """

    def __init__(self, folder: Path, namespace: str, name: str, user_data: bytes, disks: Sequence[str]) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        (folder / "timers").mkdir()
        files = {"boot": _BOOT, "init": _INIT, **{f"bin/{each}": text for each, text in _COMMANDS.items()}}
        for path, content in {**{name: text.encode() for name, text in files.items()}, "user-data": user_data}.items():
            (folder / path).write_bytes(content)
            (folder / path).chmod(0o755)
        # It ends with the thread that starts it, and all its processes end with it: no killed test leaves one behind.
        with (folder / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                [
                    *("setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", namespace),
                    *("unshare", "--pid", "--fork", "--kill-child=KILL", "--mount", "--uts", "--ipc"),
                    *("/bin/bash", str(folder / "boot"), str(folder), name),
                ],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                env=self._environment(disks),
                start_new_session=True,
            )

    @staticmethod
    def _environment(disks: Sequence[str]) -> Mapping[str, str]:
        # No environment variables of the test: an instance has none of them.
        told = {"STOWAGE_AGENT_DISKS": ":".join(disks)} if disks else {}
        return {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8", **told}

    @property
    def pid(self) -> int:
        """Id of the process that keeps it running; all its processes end with that one."""
        return self._process.pid

    def ended(self) -> Ending | None:
        """Return whether it is off, and the reason."""
        status = self._process.poll()
        if status is None:
            return None
        return "powered off" if status == 0 else "crashed"

    def timers(self) -> list[float]:
        """Return the times for which its power-off timers are set [s since 1970]."""
        return sorted(float(path.read_text()) for path in (self.folder / "timers").iterdir())

    def power_off(self) -> None:
        """Fire its power-off timer now."""
        with suppress(FileNotFoundError), Path(f"/proc/{self._first().pid}/root/run/power").open("w") as power:
            power.write("off\n")

    def _first(self) -> psutil.Process:
        (first,) = psutil.Process(self.pid).children()
        return first

    def kill(self) -> None:
        """End it as a power failure does, and wait until none of its processes is left."""
        with ExitStack() as held:
            # Once stopped, it starts no first process. One that just started may not have asked yet to be killed with
            # its parent, so it is killed by itself.
            self._process.send_signal(SIGSTOP)
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            inside = [held.enter_context(_told_of_its_end(each.pid)) for each in self._inside()]
            self._process.send_signal(SIGKILL)
            self._process.wait()
            # The first process of a machine has ended when all others of it have.
            for ending in inside:
                with suppress(OSError):
                    pidfd_send_signal(ending, SIGKILL)
                select([ending], [], [])

    def _inside(self) -> list[psutil.Process]:
        """Return its first process, if that has started and not ended."""
        try:
            return list(psutil.Process(self.pid).children())
        except psutil.NoSuchProcess:
            return []

    def console(self) -> str:
        """Return its console output."""
        return (self.folder / "console.log").read_text(errors="replace")


@contextmanager
def _told_of_its_end(pid: int) -> Iterator[int]:
    """Open the pidfd of a process: it becomes readable at its end, even if its parent has changed."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        descriptor = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def disks(folder: Path, count: int, size_mib: int) -> Iterator[list[str]]:
    """Create block devices from files.

    A descriptor keeps each device open, and closing it removes the device: it disappears with the process that created
    it, however that ends.
    """
    with ExitStack() as stack:
        made = []
        for number in range(count):
            path = folder / f"disk-{number}"
            with path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size_mib << 20)
            device = run("losetup", "--find", "--show", "--direct-io=on", str(path)).strip()
            stack.callback(os.close, os.open(device, os.O_RDWR | os.O_CLOEXEC))
            run("losetup", "--detach", device)
            made.append(device)
        yield made
