"""Usage records that we make, and commands that we execute.

Spec: Protocol/06-messages.md, Protocol/10-household.md section 2, Protocol/11-rules.md section 1
"""

import os
import time
import unicodedata
import uuid

from . import schema
from .faults import BrokenRule
from .store import Store

_COMMAND, _RECEIPT, _USAGE = 1, 2, 3
_RECEIPT_CLASS, _USAGE_CLASS = 3, 4
EXECUTED, FAILED, SUPERSEDED = 1, 2, 4
_OUTCOMES = {EXECUTED: "executed", FAILED: "failed", SUPERSEDED: "superseded"}
_RECORDED = 1
_CATEGORIES = {"learning": 1, "reward": 2, "neutral": 3}
_LEARNING, _TRACKED = 1, 1
_USUAL_RATE = 1_000
_FAMILY, _CHILD, _MACHINE = 1, 2, 3
_ZONE_ID_BYTES = {_FAMILY: 0, _CHILD: 16, _MACHINE: 20}
_EDIT_REGISTERS, _ZONE_REGISTERS, _KEY_BYTES, _VALUE_BYTES = 128, 4_096, 511, 20_480


class _Refused(Exception):
    """A command that must not be executed; the text is the receipt's reason."""


def _zone() -> str:
    link = os.path.realpath("/etc/localtime")
    return link.partition("zoneinfo/")[2] or "UTC"


def record_usage(store: Store, app_id: str, minutes: int) -> bytes:
    """Queue a session that ends now, durably, for every parent; return the record's ID."""
    milliseconds, end = minutes * 60_000, int(time.time() * 1_000)
    name, category, rate = _app(store, app_id)
    record = schema.UsageRecord(
        record_id=os.urandom(16),
        device=store.keys.device,
        app_id=app_id,
        display_name=name,
        session_start=end - milliseconds,
        session_end=end,
        zone=_zone(),
        active_milliseconds=milliseconds,
        category=category,
        milli_points_per_minute=rate,
        earned_milli_points=milliseconds * rate // 60_000 if category == _LEARNING else 0,
        evidence=_TRACKED,
    )
    body = record.SerializeToString()
    peers = store.peers()
    with store.transaction():
        store.run("insert into usage values(?,?)", record.record_id, body)
        for peer in peers:
            if peer.key is not None:
                store.enqueue(peer.id, _USAGE_CLASS, _USAGE, record.record_id, body)
    return record.record_id


def execute(store: Store, peer: bytes, item) -> dict:
    """Bring a command into force and queue its receipt, within the transaction; return what happened."""
    row = store.one("select receipt from answered where id=?", item.id)
    if row is not None:
        store.enqueue(peer, _RECEIPT_CLASS, _RECEIPT, item.id, row[0])
        return {"event": "command-again", "id": item.id.hex()}
    receipt, payload = schema.Receipt(command_id=item.id, at=int(time.time() * 1_000)), None
    try:
        if item.kind != _COMMAND:
            raise _Refused("This machine does not know this kind of item: update its software.")
        command = _read(store, peer, item)
        payload = command.kind
        receipt.outcome = _effect(store, command, receipt.state)
    except _Refused as refused:
        receipt.ClearField("state")
        receipt.outcome, receipt.reason = FAILED, str(refused)
    body = receipt.SerializeToString()
    store.run("insert into answered values(?,?)", item.id, body)
    store.enqueue(peer, _RECEIPT_CLASS, _RECEIPT, item.id, body)
    told = {"event": "command", "id": item.id.hex(), "kind": payload, "outcome": _OUTCOMES[receipt.outcome]}
    return told | ({"reason": receipt.reason} if receipt.reason else {})


def _read(store: Store, peer: bytes, item):
    try:
        command = schema.parse(schema.Command, item.body)
    except BrokenRule:
        raise _Refused("The command cannot be read: send it again.") from None
    if command.command_id != item.id:
        raise _Refused("The command's ID is not that of its item: send it again.")
    if command.author != peer:
        raise _Refused("The command was not made by the machine that sent it: give it on that machine.")
    return command


def _effect(store: Store, command, state) -> int:
    """Execute a command and fill in what now holds; return the outcome."""
    match command.kind:
        case "edit":
            return _edit(store, command, _payload(schema.Registers, command), state)
        case "requestReport":
            _state(state, "report", _report(store))
        case "message":
            text = _payload(schema.TextMessage, command).text
            _require(1 <= len(text.encode()) <= 4_096, "text")
            store.run("insert or ignore into message values(?,?)", command.command_id, text)
            state.kind = "done"
        case _:
            raise _Refused("This machine does not know this command: update its software.")
    return EXECUTED


def _payload(kind, command):
    try:
        return schema.parse(kind, command.payload)
    except BrokenRule:
        raise _Refused("The command cannot be read: send it again.") from None


def _state(state, kind: str, message) -> None:
    state.kind, state.state = kind, message.SerializeToString()


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise _Refused(f"The {what} is not valid: correct it, then send the command again.")


def is_app_id(text: str) -> bool:
    """Tell whether a text is a valid application ID."""
    unsafe = {"Cc", "Cf", "Zl", "Zp", "Zs", "Cs", "Co", "Cn"}
    return 1 <= len(text.encode()) <= 255 and not any(unicodedata.category(c) in unsafe for c in text)


def merged(one, other):
    """Return the register that holds, of two edits of one place: the later one; 10 section 2."""
    if _time(one.modified) != _time(other.modified):
        return max(one, other, key=lambda register: _time(register.modified))
    return max(one, other, key=lambda register: (register.HasField("value"), register.value.encode()))


def _time(stamp) -> tuple:
    return stamp.wall, stamp.counter, stamp.author


def _place(register) -> tuple:
    return register.zone, register.zone_id, register.key


def _held(store: Store, place: tuple):
    row = store.one("select register from register where zone=? and zone_id=? and key=?", *place)
    return schema.Register.FromString(row[0]) if row else None


def _registers(store: Store, zone: int, zone_id: bytes) -> list:
    rows = store.all("select register from register where zone=? and zone_id=? order by key", zone, zone_id)
    return [schema.Register.FromString(row[0]) for row in rows]


def _children(registers) -> set:
    """Return the children whose machine it is, by the registers of its zone."""
    found = set()
    for register in registers:
        word, _, child = register.key.partition("/")
        if word == "child" and register.HasField("value") and register.value == "yes":
            found.add(uuid.UUID(child).bytes)
    return found


def _edit(store: Store, command, wanted, state) -> int:
    own = store.keys.device
    _require(1 <= len(wanted.registers) <= _EDIT_REGISTERS, "number of registers")
    _require(len({_place(register) for register in wanted.registers}) == len(wanted.registers), "list of registers")
    machine = {register.key: register for register in _registers(store, _MACHINE, own)}
    for register in wanted.registers:
        _check(register, command, own)
        if register.zone == _MACHINE:
            held = machine.get(register.key)
            machine[register.key] = merged(held, register) if held else register
    children = _children(machine.values())
    for register in wanted.registers:
        _require(register.zone != _CHILD or register.zone_id in children, "child, who is not this machine's,")

    outcome = SUPERSEDED
    for register in wanted.registers:
        held = _held(store, _place(register))
        if held is None:
            count = store.one("select count(*) from register where zone=? and zone_id=?", register.zone, register.zone_id)
            _require(count[0] < _ZONE_REGISTERS, "number of settings")
        if held is None or merged(held, register) == register:
            store.run("insert or replace into register values(?,?,?,?)", *_place(register), register.SerializeToString())
            outcome = EXECUTED
    holds = [_held(store, _place(register)) for register in wanted.registers]
    _state(state, "registers", schema.Registers(registers=holds, enforcement=_RECORDED))
    for (zone_id,) in store.all("select distinct zone_id from register where zone=?", _CHILD):
        if zone_id not in children:
            store.run("delete from register where zone=? and zone_id=?", _CHILD, zone_id)
    return outcome


def _check(register, command, own: bytes) -> None:
    segments, at = register.key.split("/"), register.modified
    _require(register.zone in _ZONE_ID_BYTES and len(register.zone_id) == _ZONE_ID_BYTES[register.zone], "zone")
    _require(register.zone != _MACHINE or register.zone_id == own, "machine, which is another one,")
    _require(1 <= len(register.key.encode()) <= _KEY_BYTES and all(map(is_app_id, segments)), "key")
    _require(not register.HasField("value") or len(register.value.encode()) <= _VALUE_BYTES, "value")
    _require(0 <= at.wall < 2**48 and at.author == command.author, "author or time of the change")


def _rule(store: Store, children: set, key: str) -> str | None:
    """Return the value that holds under a key: that of the machine's only child, else the family's."""
    zones = [(_CHILD, child) for child in children] if len(children) == 1 else []
    for zone in [*zones, (_FAMILY, b"")]:
        held = _held(store, (*zone, key))
        if held is not None and held.HasField("value"):
            return held.value
    return None


def _app(store: Store, app_id: str) -> tuple[str, int, int]:
    """Return the name, the category and the rate of an application."""
    children = _children(_registers(store, _MACHINE, store.keys.device))
    place = "app/" + app_id.replace("%", "%25").replace("/", "%2F")
    word, _, rate = (_rule(store, children, f"{place}/category") or "neutral").partition(" ")
    if not rate:
        usual = 0 if word == "neutral" else _USUAL_RATE
        rate = _rule(store, children, f"category/{word}/rate") or usual
    return _rule(store, children, f"{place}/name") or app_id, _CATEGORIES[word], int(rate)


def _report(store: Store):
    report = schema.Report(version="python-peer 1", enforcement=_RECORDED)
    report.usage_records = store.one("select count(*) from usage")[0]
    rows = store.all("select register from register")
    report.registers = sum(schema.Register.FromString(row[0]).HasField("value") for row in rows)
    return report
