"""The accounts of people on this machine.

Spec: Protocol/10-household.md section 3
"""

import os
import pwd
from pathlib import Path

from . import texts


_NO_PERSON = 65_534, 65_535, 2**32 - 2, 2**32 - 1


def _is_person(entry) -> bool:
    """Tell whether an entry of the system's table belongs to a person."""
    can_log_in = Path(entry.pw_shell).name not in ("nologin", "false")
    has_home = entry.pw_dir.startswith("/") and entry.pw_dir != "/"
    return entry.pw_uid >= 1_000 and entry.pw_uid not in _NO_PERSON and can_log_in and has_home


def people() -> list[tuple[int, str, str]]:
    """Return number, log-in name and the person's name of each account."""
    found = {}
    for entry in pwd.getpwall():
        if _is_person(entry) or (entry.pw_uid == os.getuid() != 0):
            name, full = entry.pw_name, entry.pw_gecos.partition(",")[0]
            if texts.is_word(name, 1, 64):
                found[entry.pw_uid] = entry.pw_uid, name, full if texts.is_line(full, 0, 255) else ""
    return [found[uid] for uid in sorted(found)][:64]
