"""The system calls that Python has no name for, and the filter of system calls that an agent runs under."""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x8000000, 0x20000000, 0x40000000
CLONE_NEW = 0x7E020080  # every kind of namespace
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAP_AMBIENT = 1, 24, 38, 22, 47
CAPABILITY_VERSION = 0x20080522
KEYCTL_JOIN_SESSION_KEYRING = 1

# Refused to agents, by number on x86_64 and in the common table of newer machines (aarch64, riscv64). The key calls
# are a place to leave text in; the rest would change what the walls are made of, or look past them.
REFUSED = {
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "syslog": (103, 116),
    "lookup_dcookie": (212, 18),
}
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
CLONE, CLONE3 = (56, 220), (435, 435)
X32_BIT = 0x40000000
ALLOW, REFUSE, ABSENT = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38  # EPERM, ENOSYS
LOAD, EQUAL, AT_LEAST, ANY_OF, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16

_libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """A system call's result. Raises OSError, naming what was tried, when it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unsigned(value: int) -> ctypes.c_ulong:
    """A number as system calls take it."""
    return ctypes.c_ulong(value)


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones."""
    check(_libc.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount."""
    text = [None if each is None else os.fsencode(each) for each in (source, target, kind)]
    check(_libc.mount(text[0], text[1], text[2], ctypes.c_ulong(flags), os.fsencode(data)), f"mount {target}")


def prctl(option: int, *arguments: object) -> int:
    """One setting of this process."""
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    return check(_libc.prctl(option, *padded), f"prctl {option}")


def new_session_keyring() -> None:
    """Leave the keyring of the caller's session for an empty one."""
    number = REFUSED["keyctl"][_table()]
    check(_libc.syscall(number, KEYCTL_JOIN_SESSION_KEYRING, None), "new session keyring")


def lower(name: str, value: int) -> None:
    """Set a resource limit (its name without RLIMIT_), both parts of it, never above what it was."""
    limit = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(limit)[1]
    least = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (least, least))


def drop_capabilities() -> None:
    """Take every capability out of every set of this process, for good."""
    for capability in range(64):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(capability), *[ctypes.c_ulong(0)] * 3) < 0:
            break  # beyond the last one that this kernel knows
    prctl(PR_CAP_AMBIENT, ctypes.c_ulong(4))  # clear all
    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    check(_libc.capset(header, bytes(24)), "capset")
    prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1))


def refuse_calls() -> None:
    """Put the filter over this process and all that it starts, for good. Needs no-new-privileges."""
    program = filter_program(platform.machine())
    code = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    whole = Program(len(program) // 8, ctypes.addressof(code))
    prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(whole))


def filter_program(machine: str) -> bytes:
    """The filter as the kernel takes it: refused calls fail with EPERM, and so does any in another machine's form.

    A thread or process may be made, a namespace not; ``clone3``, whose flags a filter cannot see, is answered as if
    the kernel did not have it, and C libraries then use ``clone``. Raises KeyError for a machine without a table.
    """
    form, column = MACHINES[machine]
    calls = sorted(numbers[column] for numbers in REFUSED.values())
    tail = [
        (EQUAL, CLONE3[column], 0, 1),
        (RETURN, ABSENT, 0, 0),
        (EQUAL, CLONE[column], 0, 3),
        (LOAD, FIRST_ARGUMENT, 0, 0),
        (ANY_OF, CLONE_NEW, 0, 1),
        (RETURN, REFUSE, 0, 0),
        (RETURN, ALLOW, 0, 0),
    ]
    head = [(LOAD, MACHINE, 0, 0), (EQUAL, form, 1, 0), (RETURN, REFUSE, 0, 0), (LOAD, NUMBER, 0, 0)]
    if column == 0:
        head += [(AT_LEAST, X32_BIT, 0, 1), (RETURN, REFUSE, 0, 0)]
    body = []
    for call in calls:
        body += [(EQUAL, call, 0, 1), (RETURN, REFUSE, 0, 0)]
    return b"".join(struct.pack("HBBI", code, yes, no, value) for code, value, yes, no in [*head, *body, *tail])


def _table() -> int:
    return MACHINES[platform.machine()][1]
