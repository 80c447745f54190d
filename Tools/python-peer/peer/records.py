"""Usage records that we make, and commands that we execute.

Spec: Protocol/06-messages.md
"""

import os
import time
import unicodedata

from . import schema
from .faults import BrokenRule
from .store import Store

_COMMAND, _RECEIPT, _USAGE = 1, 2, 3
_RECEIPT_CLASS, _USAGE_CLASS = 3, 4
EXECUTED, FAILED, SUPERSEDED = 1, 2, 4
_OUTCOMES = {EXECUTED: "executed", FAILED: "failed", SUPERSEDED: "superseded"}
_RECORDED = 1
_LEARNING, _NEUTRAL, _TRACKED = 1, 3, 1
_RATE_MOST, _BODY_BYTES = 1_000_000_000, 32_768


class _Refused(Exception):
    """A command that must not be executed; the text is the receipt's reason."""


def _zone() -> str:
    link = os.path.realpath("/etc/localtime")
    return link.partition("zoneinfo/")[2] or "UTC"


def record_usage(store: Store, app_id: str, minutes: int) -> bytes:
    """Queue a session that ends now, durably, for every parent; return the record's ID."""
    row = store.one("select configuration from app where app_id=?", app_id)
    rules = schema.AppConfiguration.FromString(row[0]) if row else None
    milliseconds, end = minutes * 60_000, int(time.time() * 1_000)
    category = rules.category if rules else _NEUTRAL
    rate = rules.milli_points_per_minute if rules else 0
    record = schema.UsageRecord(
        record_id=os.urandom(16),
        device=store.keys.device,
        app_id=app_id,
        display_name=rules.display_name if rules else app_id,
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
        case "setApp":
            return _set_app(store, _payload(schema.AppConfiguration, command), state)
        case "removeApp":
            removal = _payload(schema.RemoveApp, command)
            _require(is_app_id(removal.app_id), "application ID")
            store.run("delete from app where app_id=?", removal.app_id)
            _state(state, "appRemoved", removal)
        case "setFamilySettings":
            return _set_family(store, _payload(schema.FamilySettings, command), state)
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


def _set_app(store: Store, wanted, state) -> int:
    at = wanted.modified
    _require(is_app_id(wanted.app_id), "application ID")
    _require(1 <= len(wanted.display_name.encode()) <= 255, "display name")
    _require(wanted.category in (1, 2, 3), "category")
    _require(0 <= wanted.milli_points_per_minute <= _RATE_MOST, "rate")
    _require(not wanted.HasField("daily_limit_minutes") or wanted.daily_limit_minutes <= 1_440, "daily limit")
    _require(0 <= at.wall < 2**48 and len(at.author) == 20, "time of the change")
    values = [len(matcher.value.encode()) for matcher in wanted.matchers]
    kinds = all(1 <= matcher.kind <= 6 for matcher in wanted.matchers)
    sizes = len(values) <= 64 and sum(values) <= 16_384 and all(1 <= size <= 1_024 for size in values)
    _require(kinds and sizes, "list of matchers")

    row, outcome = store.one("select configuration from app where app_id=?", wanted.app_id), EXECUTED
    held = schema.AppConfiguration.FromString(row[0]) if row else None
    if held and _time(held.modified) > _time(at):
        wanted, outcome = held, SUPERSEDED
    else:
        store.run("insert or replace into app values(?,?)", wanted.app_id, wanted.SerializeToString())
    _state(state, "app", schema.AppState(configuration=wanted, enforcement=_RECORDED))
    return outcome


def _time(stamp) -> tuple:
    return stamp.wall, stamp.counter, stamp.author


def _set_family(store: Store, wanted, state) -> int:
    _require(0 <= wanted.default_milli_points_per_minute <= _RATE_MOST, "rate")
    _require(1 <= wanted.minutes_per_point <= 1_440, "number of minutes for a point")
    _require(wanted.minimum_session_minutes <= 1_440, "shortest session")
    _require(wanted.daily_reward_limit_minutes <= 1_440, "daily limit")
    _require(wanted.weekly_reward_limit_minutes <= 10_080, "weekly limit")
    _require(wanted.day_start_hour <= 23, "hour at which a day starts")
    _require(1 <= len(wanted.zone.encode()) <= 64, "time zone")

    held, outcome = _family(store), EXECUTED
    if held and _time(held.modified) > _time(wanted.modified):
        wanted, outcome = held, SUPERSEDED
    else:
        store.run("insert or replace into settings values(1,?)", wanted.SerializeToString())
    _state(state, "familySettings", wanted)
    return outcome


def _family(store: Store):
    row = store.one("select settings from settings")
    return schema.FamilySettings.FromString(row[0]) if row else None


def _report(store: Store):
    report = schema.Report(version="python-peer 1", enforcement=_RECORDED)
    report.usage_records = store.one("select count(*) from usage")[0]
    if held := _family(store):
        report.family_settings.CopyFrom(held)
    apps = [schema.AppConfiguration.FromString(row[0]) for row in store.all("select configuration from app")]
    report.apps.extend(apps)
    while report.ByteSize() > _BODY_BYTES - 64:
        report.omitted_apps += 1
        del report.apps[-1]
    return report
