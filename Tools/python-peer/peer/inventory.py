"""Lists that a child's machine gives of itself: its accounts, conditions, installed applications,
parents, refused and running programs.

Spec: Protocol/06-messages.md section 10
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from . import schema
from .faults import BrokenRule, Refused
from .frames import now
from .household import UNKNOWN, UNREADABLE
from .store import Store
from .texts import digits, is_line, is_paragraphs, is_visible, is_word, number, require
from .values import CATEGORIES

ITEM, _MOST_PARTS, _U32, _TIME, _RATE = 8, 8, 2**32 - 1, 2**48 - 1, 1_000_000_000

_MATCHERS = {"sha256", "package", "flatpak", "argument", "path", "name", "snap"}
_OF_MANY = {"latchkey.unknown", "latchkey.other", "latchkey.screen"}


@dataclass
class Kind:
    """What a list of a kind may have."""

    most: int
    lines: int
    check: Callable[..., None]
    parts: int = 1
    is_shared: bool = False
    more: int = 0


def _account(uid: str, name: str, full_name: str, stated: str) -> None:
    number(uid, 0, _U32)
    require(is_word(name, 1, 64) and is_line(full_name, 0, 255), "account")
    require(not stated or is_visible(stated, 1, 64), "child of an account")


def _condition(text: str) -> None:
    name, *rest = text.split(" ")
    require(re.fullmatch("[a-z-]{1,64}", name) is not None and len(rest) <= 2, "condition")
    if rest and rest[0] != "-":
        number(rest[0], 0, _U32)
    require(rest != ["-"] and (len(rest) < 2 or is_word(rest[1], 1, 64)), "condition")


def _application(id_: str, name: str, version: str, category: str) -> None:
    require(is_word(id_) and is_line(name, 1, 255) and is_line(version, 0, 64), "application")
    require(not category or category in CATEGORIES, "category")


def _parent(device: str, name: str, paired: str, left: str) -> None:
    digits(device, 20)
    require(is_visible(name, 1, 64) and name == name.strip(" "), "name of a parent")
    number(paired, 0, _TIME)
    if left:
        number(left, -(2**63), 2**63 - 1)


def _refused(target: str, name: str, at: str, app: str | None = None, file: str | None = None) -> None:
    account, _, text = target.partition(" ")
    number(account, 0, _U32)
    kind, space, value = text.partition(" ")
    if space:
        require(kind in _MATCHERS and is_line(value, 1, 700), "matcher of a refused program")
    else:
        require(is_word(text) and text not in _OF_MANY, "refused application")
    require(is_line(name, 1, 255), "name of a refused program")
    number(at, 0, _TIME)
    if app is not None:
        require(bool(space and (app or file)), "more of a refused program")
        require(not app or is_word(app) and app not in _OF_MANY, "application of a refused program")
        require(not file or is_line(file, 1, 1_024), "file of a refused program")
        whole = "\n".join((target, name, at, app, file))
        require(len(whole.encode()) <= 992, "length of a refused program")


def _running(record: str, account: str, child: str, app: str, name: str, category: str, *numbers: str) -> None:
    digits(record, 16)
    if account:
        number(account, 0, _U32)
    if child:
        digits(child, 16)
    require(is_word(app) and is_line(name, 1, 255) and category in CATEGORIES, "running session")
    for text, most in zip(numbers[:3], (_RATE, _TIME, _TIME), strict=True):
        number(text, 0, most)
    require(numbers[3:] in ((), ("paused",)), "state of a running session")


KINDS = {
    "accounts": Kind(64, 4, _account),
    "conditions": Kind(64, 1, _condition),
    "installed": Kind(2_048, 4, _application, parts=_MOST_PARTS),
    "parents": Kind(16, 4, _parent),
    "refused": Kind(32, 3, _refused, more=2),
    "running": Kind(48, 9, _running, is_shared=True, more=1),
}


def read(body: bytes):
    """Read a part of a list; raise Refused for one that no machine may send."""
    try:
        told = schema.parse(schema.Inventory, body)
        if told.kind in KINDS:
            _check(told)
            return told
    except (BrokenRule, ValueError):
        raise Refused(UNREADABLE) from None
    raise Refused(UNKNOWN)


def _check(told) -> None:
    """Raise ValueError for a part of a list of a known kind that no machine may send."""
    kind = KINDS[told.kind]
    require(not told.HasField("device") or len(told.device) == 20, "machine")
    require(told.number >= 1 and told.part < told.parts <= kind.parts, "part of the list")
    require(len(told.entries) <= kind.most, "number of entries")
    require(len({text.partition("\n")[0] for text in told.entries}) == len(told.entries), "entries named twice")
    for text in told.entries:
        lines = text.split("\n")
        require(is_paragraphs(text, 1, 1_024) and len(lines) in (kind.lines, kind.lines + kind.more), "entry")
        kind.check(*lines)


def keep(store: Store, machine: bytes, told, teller: bytes) -> None:
    """Let a part take the place of the one before it; within a transaction."""
    store.run("delete from inventory where machine=? and kind=? and part>=?", machine, told.kind, told.parts)
    values = machine, told.kind, told.part, str(told.number), now(), teller, told.SerializeToString()
    store.run("insert or replace into inventory values(?,?,?,?,?,?,?)", *values)


def is_outdated(store: Store, machine: bytes, told, teller: bytes, seconds: float) -> bool:
    """Tell whether another machine has told of a later list in the last seconds."""
    row = store.one("select number, at, teller from inventory where machine=? and kind=?", machine, told.kind)
    return row is not None and told.number < int(row[0]) and row[2] != teller and now() - row[1] < seconds


def entries(store: Store, kind: str, machine: bytes | None = None) -> dict[bytes, list[list[str]]]:
    """Return the lines of the entries of a kind by machine, of all machines or one."""
    found: dict[bytes, list[list[str]]] = {}
    rows = store.all("select machine, body from inventory where kind=? order by machine, part", kind)
    for device, body in rows:
        if machine in (None, device):
            lines = [text.split("\n") for text in schema.Inventory.FromString(body).entries]
            found[device] = found.get(device, []) + lines
    return found


def of(told, children: set[bytes], machine: bytes):
    """Return a shared list with the entries about some children alone."""
    wanted = {child.hex() for child in children}
    entries_ = [text for text in told.entries if text.split("\n")[2] in wanted]
    return schema.Inventory(device=machine, kind=told.kind, number=told.number, parts=1, entries=entries_)
