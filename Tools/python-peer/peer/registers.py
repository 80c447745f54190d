"""Registers: what parents set, and how edits of them merge.

Spec: Protocol/10-household.md section 2
"""

from datetime import date

from . import schema, texts
from .texts import is_paragraphs, is_word, require, size
from .values import uuid_text

FAMILY, CHILD, MACHINE = 1, 2, 3
ZONE_NAMES = {FAMILY: "family", CHILD: "child"}
MOST_REGISTERS, MOST_BYTES = 128, 24_576
EXECUTED, SUPERSEDED = 1, 4
_ZONE_ID_BYTES = {FAMILY: 0, CHILD: 16, MACHINE: 20}
_ZONE_REGISTERS, _KEY_BYTES, _VALUE_BYTES = 4_096, 511, 20_480
_YEARS = 2**48

Place = tuple[int, bytes, str]


def time(stamp) -> tuple[int, int, bytes]:
    """Return a hybrid timestamp in the order of its comparison."""
    return stamp.wall, stamp.counter, stamp.author


def place(register) -> Place:
    """Return what names a register."""
    return register.zone, register.zone_id, register.key


def merged(one, other):
    """Return which of two edits of one register wins: the later one."""
    if time(one.modified) != time(other.modified):
        return max(one, other, key=lambda register: time(register.modified))
    return max(one, other, key=lambda register: (register.HasField("value"), register.value.encode()))


def make(zone: int, zone_id: bytes, key: str, value: str | None, at: tuple[int, int, bytes]):
    """Return a register; `value` is None if it was deleted."""
    register = schema.Register(zone=zone, zone_id=zone_id, key=key, value=value)
    register.modified.wall, register.modified.counter, register.modified.author = at
    return register


def check(register) -> None:
    """Raise ValueError for a register that no machine may send."""
    segments, at = register.key.split("/"), register.modified
    require(register.zone in _ZONE_ID_BYTES and len(register.zone_id) == _ZONE_ID_BYTES[register.zone], "zone")
    require(1 <= size(register.key) <= _KEY_BYTES and all(is_word(part, 1, _KEY_BYTES) for part in segments), "key")
    require(not register.HasField("value") or is_paragraphs(register.value, 0, _VALUE_BYTES), "value")
    require(0 <= at.wall < _YEARS and len(at.author) == 20, "time of the change")


def check_all(registers) -> None:
    """Raise ValueError for a list of registers that no command or item may hold."""
    require(1 <= len(registers) <= MOST_REGISTERS, "number of registers")
    require(sum(weight(register) for register in registers) <= MOST_BYTES, "size of the registers")
    require(len({place(register) for register in registers}) == len(registers), "list of registers")
    for register in registers:
        check(register)


def weight(register) -> int:
    """Return the bytes of key and value."""
    return size(register.key) + size(register.value)


def day(key: str) -> date | None:
    """Return the last day of a register for single days; None for all others."""
    word, *rest = key.split("/")
    try:
        if word == "days" and len(rest) > 1:
            return texts.days(rest[0])[1]
        return texts.day(rest[0]) if word == "today" and len(rest) > 1 else None
    except ValueError:
        return None


def children(held: dict, machine: bytes) -> set[bytes]:
    """Return the children to whom a machine is assigned, by the registers of its zone."""
    found = set()
    for (zone, zone_id, key), register in held.items():
        word, _, child = key.partition("/")
        if (zone, zone_id, word) == (MACHINE, machine, "child") and register.HasField("value"):
            try:
                if register.value == "yes":
                    found.add(uuid_text(child))
            except ValueError:
                continue
    return found


def edit(held: dict, machine: bytes, author: bytes, wanted: list) -> tuple[int, list, dict]:
    """Execute an edit as a whole.

    Returns the outcome, the registers at its places, and all registers. Raises ValueError if it
    fails; `held` is not changed.
    """
    check_all(wanted)
    after = dict(held)
    outcome = SUPERSEDED
    for register in wanted:
        at = place(register)
        require(register.modified.author == author, "author of the change")
        require(register.zone != MACHINE or register.zone_id == machine, "machine, which is another one,")
        after[at] = merged(after[at], register) if at in after else register
        if after[at] == register:
            outcome = EXECUTED
    served = children(after, machine)
    for register in wanted:
        require(register.zone != CHILD or register.zone_id in served, "child, who is not this machine's,")
        others = [at for at in after if at[:2] == (register.zone, register.zone_id)]
        require(len(others) <= _ZONE_REGISTERS, "number of settings")
    state = [after[place(register)] for register in wanted]
    after = {at: register for at, register in after.items() if at[0] != CHILD or at[1] in served}
    return outcome, state, after
