"""Seccomp filter after which a process can only compute, read and write open descriptors, and exit.

The process cannot open files or sockets, start programs or threads, signal processes or map code, even if it is
exploited. The filter supports Linux on x86-64 and 64-bit ARM, needs no privilege, and works under Docker's default
filter. It is implemented here because the libseccomp bindings on PyPI are unmaintained or not built for this Python
(decision 0045).

**Source** Linux, `Documentation/userspace-api/seccomp_filter.rst`; `include/uapi/linux/{seccomp,filter,audit}.h`;
`arch/x86/entry/syscalls/syscall_64.tbl`; `include/uapi/asm-generic/unistd.h`.
"""

import ctypes
import errno
import platform
import struct
import sys
from typing import Final, NamedTuple

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 22, 38
_SECCOMP_MODE_FILTER = 2
_LOAD_WORD, _JUMP_IF_EQUAL, _JUMP_IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL_PROCESS, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_PROT_EXEC = 4


class _Calls(NamedTuple):
    """System call numbers of an architecture."""

    audit: int
    """The kernel's constant for the architecture. The filter checks it, because the numbers of calls differ between
    architectures."""
    allowed: tuple[int, ...]
    """Calls that are allowed with any arguments."""
    without_exec: tuple[int, ...]
    """Calls that are allowed if their third argument does not request executable memory."""
    of_itself: tuple[int, ...]
    """Calls that are allowed if their first argument is 0, which means this process."""


_CALLS: Final = {
    # In this order: read, write, close, munmap, brk, rt_sigaction, rt_sigprocmask, rt_sigreturn,
    # sched_yield, mremap, madvise, exit, gettimeofday, getrlimit, getrusage, sigaltstack, setrlimit, futex,
    # restart_syscall, clock_gettime, exit_group, getrandom. without_exec: mmap, mprotect. of_itself: prlimit64.
    "x86_64": _Calls(
        0xC000003E,
        (0, 1, 3, 11, 12, 13, 14, 15, 24, 25, 28, 60, 96, 97, 98, 131, 160, 202, 219, 228, 231, 318),
        (9, 10),
        (302,),
    ),
    "aarch64": _Calls(
        0xC00000B7,
        (63, 64, 57, 215, 214, 134, 135, 139, 124, 216, 233, 93, 169, 163, 165, 132, 164, 98, 128, 113, 94, 278),
        (222, 226),
        (261,),
    ),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install() -> bool:
    """Install the filter irrevocably, and return whether the system supports it.

    Before the call, the process must have opened and imported everything that it needs. Afterwards, a system call that
    is not allowed fails with EPERM.
    """
    calls = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if calls is None:
        return False
    code = ctypes.create_string_buffer(_filter(calls))
    program = _Program(len(code.raw) // 8, ctypes.addressof(code))
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program), 0, 0) == 0)


def _filter(calls: _Calls) -> bytes:
    """Return the filter as bytes: instructions of 8 bytes, each with code, two jump offsets and operand."""
    steps = [
        (_LOAD_WORD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_IF_EQUAL, 1, 0, calls.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD_WORD, 0, 0, _NUMBER_AT),
    ]
    for number in calls.allowed:
        steps += [(_JUMP_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for number in calls.without_exec:
        steps += [
            (_JUMP_IF_EQUAL, 0, 4, number),
            (_LOAD_WORD, 0, 0, _argument_at(2)),
            (_JUMP_IF_ANY_BIT, 0, 1, _PROT_EXEC),
            (_RETURN, 0, 0, _REFUSE),
            (_RETURN, 0, 0, _ALLOW),
        ]
    for number in calls.of_itself:
        steps += [
            (_JUMP_IF_EQUAL, 0, 3, number),
            (_LOAD_WORD, 0, 0, _argument_at(0)),
            (_JUMP_IF_EQUAL, 0, 1, 0),
            (_RETURN, 0, 0, _ALLOW),
        ]
    steps.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _argument_at(index: int) -> int:
    """Return the offset [bytes] of an argument's lower 32 bits in the data that the kernel passes to the filter."""
    return 16 + 8 * index
