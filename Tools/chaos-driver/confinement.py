"""What a run requires of the kernel: processes that end with it, and proof that they have no
privileges.
"""
import ctypes
import os
import pathlib
import signal

_SET_PARENT_DEATH_SIGNAL = 1


def end_with_parent(parent: int) -> None:
    """Makes the kernel end this process with SIGTERM when its parent ends, which may have happened
    already.
    """
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(143)


def privileges(pid: int) -> str | None:
    """Returns the privileges of a process beyond those of an ordinary user; `None` if there are
    none.
    """
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    if int(fields["CapEff"], 16) != 0:
        return f"effective capabilities {fields['CapEff'].strip()}"
    if "0" in fields["Uid"].split():
        return "the user ID of root"
    return None


def running_with(program: str, argument: str) -> list[int]:
    """Returns the process IDs of the running processes of a program that have an argument."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        # A process that has ended and was not waited for has no command line.
        if words[0].endswith(b"/" + program.encode()) and argument.encode() in words:
            found.append(int(place.name))
    return found


def start_time(pid: int) -> int:
    """Returns when a process started, in clock ticks since the boot: field 22 of its `stat`."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return int(text[text.rindex(")") + 1:].split()[19])
