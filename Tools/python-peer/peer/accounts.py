"""The accounts of people on this machine.

Spec: Protocol/10-household.md section 3
"""

import os
import pwd
from pathlib import Path

from . import texts


def people() -> list[tuple[int, str, str]]:
    """Return number, log-in name and the person's name of each account."""
    found = {}
    for entry in pwd.getpwall():
        is_person = 1_000 <= entry.pw_uid <= 59_999 and Path(entry.pw_shell).name not in ("nologin", "false")
        if is_person or (entry.pw_uid == os.getuid() != 0):
            name, full = entry.pw_name, entry.pw_gecos.partition(",")[0]
            if texts.is_word(name, 1, 64):
                found[entry.pw_uid] = entry.pw_uid, name, full if texts.is_line(full, 0, 255) else ""
    return [found[uid] for uid in sorted(found)][:64]


def is_account(entry) -> bool:
    """Tell whether the texts of an entry of a list are valid."""
    is_stated = not entry.HasField("stated_child") or texts.is_visible(entry.stated_child, 1, 64)
    return texts.is_word(entry.name, 1, 64) and texts.is_line(entry.full_name, 0, 255) and is_stated
