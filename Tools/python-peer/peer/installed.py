"""The applications that a child's machine reports as installed.

Spec: Protocol/10-household.md section 5
"""

from . import schema
from .store import Store
from .texts import is_line, is_word, require, size

_MOST_PARTS, _MOST, _MOST_BYTES = 8, 2_048, 24_576


def check(told) -> None:
    """Raise ValueError for a part of a list that no machine may send."""
    require(told.number >= 1, "number of the list")
    require(told.part < told.parts <= _MOST_PARTS, "part of the list")
    ids = [entry.app_id.encode() for entry in told.entries]
    require(len(ids) <= _MOST and ids == sorted(set(ids)), "order of the applications")
    for entry in told.entries:
        require(is_word(entry.app_id) and is_line(entry.name, 1, 255), "application")
        require(is_line(entry.version, 0, 64) and entry.suggestion <= 3, "application")
    texts = [text for entry in told.entries for text in (entry.app_id, entry.name, entry.version)]
    require(sum(map(size, texts)) + 16 * len(ids) <= _MOST_BYTES, "size of the list")


def keep(store: Store, machine: bytes, told) -> None:
    """Replace the earlier part by this one; within a transaction."""
    store.run("insert or replace into installed values(?,?,?)", machine, told.part, told.SerializeToString())
    store.run("delete from installed where peer=? and part>=?", machine, told.parts)


def known(store: Store, machine: bytes) -> dict[str, str]:
    """Return the names of the applications of a machine by their IDs."""
    rows = store.all("select body from installed where peer=? order by part", machine)
    return {entry.app_id: entry.name for row in rows for entry in schema.Installed.FromString(row[0]).entries}
