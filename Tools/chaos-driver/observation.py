"""The state in the end: the nodes' answers over the local API, and the databases of the stopped
nodes.
"""
import dataclasses
import pathlib
import sqlite3
from typing import Any

from family import Family
from node import Node
from settle import Facts
from snapshot import open_copy, uuid_text

# A child's answer, from the field `outcome` of its receipt. Spec: Protocol/06-messages.md §4.
OUTCOMES = {1: "executed", 2: "failed", 3: "expired", 4: "superseded"}


@dataclasses.dataclass
class Applied:
    """A command that a child has answered."""

    id: str
    outcome: str


@dataclasses.dataclass
class Record:
    """A record of use, wherever it was found."""

    id: str
    app: str
    name: str
    start: int
    end: int
    active: int
    earned: int
    sessions: int = 1


@dataclasses.dataclass
class Held:
    """A register as a device holds it: the value, `None` if it was deleted, and the time of the
    edit.
    """

    value: str | None
    modified: tuple[int, int]


@dataclasses.dataclass
class ChildSeen:
    """The state of a child: its own database, and the parent's statements about it."""

    applied: list[Applied]
    messages: list[tuple[str, str]]
    # The newest messages, as the child's node shows them.
    shown: list[tuple[str, str]]
    # By zone and key.
    rules: dict[tuple[str, str], Held]
    records: list[Record]
    open_sessions: list[str]
    audit: list[tuple[str, str, str]]
    settings: dict[str, Any]
    warnings: list[str]
    # The kinds of the items that still wait.
    waiting: list[int]
    listed: list[Record]
    at_parent: list[Record]
    listed_at_parent: list[Record]
    rules_at_parent: dict[tuple[str, str], Held]
    commands: list[dict[str, Any]]
    # The sessions, milliseconds of use and milli-points that the child reported as dropped.
    losses: tuple[int, int, int]


@dataclasses.dataclass
class Observation:
    """The state of all nodes in the end."""

    children: dict[str, ChildSeen]
    parent_warnings: list[str]
    parent_settings: dict[str, Any]
    # The parent's records of a device that is none of the children.
    strangers: list[Record]
    damaged: list[str]
    outstanding: list[str]
    # A sentence about each node that has no agent in the end.
    without_agent: list[str]


def observe(family: Family, facts: Facts) -> Observation:
    """Reads the databases of all stopped nodes, and joins them with the nodes' answers."""
    with _open(family.parent, family.work) as parent:
        devices = {row[0]: row[1] for row in parent.execute("SELECT name, device_id FROM peer")}
        at_parent = {name: [_record(row) for row in parent.execute(f"{_RECORDS} WHERE device_id = ?", [devices.get(name)])]
                     for name in family.children}
        losses = {name: parent.execute(_LOSSES, [devices.get(name)]).fetchone() for name in family.children}
        known = [devices[name] for name in family.children if name in devices]
        marks = ",".join("?" * len(known))
        strangers = [_record(row) for row in parent.execute(f"{_RECORDS} WHERE device_id NOT IN ({marks})", known)]
        registers = {name: _registers(parent, devices.get(name)) for name in family.children}
        damaged = _damage(family.parent, parent)
    seen: dict[str, ChildSeen] = {}
    for name, node in family.children.items():
        with _open(node, family.work) as database:
            damaged += _damage(node, database)
            seen[name] = ChildSeen(
                applied=[Applied(uuid_text(row[0]), _outcome(row[1]))
                         for row in database.execute("SELECT command_id, receipt FROM applied_command")],
                messages=[(uuid_text(row[0]), row[1])
                          for row in database.execute("SELECT command_id, text FROM received_message")],
                shown=[(message["commandID"], message["text"]) for message in facts.status[name]["messages"]],
                rules=(rules := _registers(database, None)),
                records=[_record(row) for row in database.execute(_RECORDS)],
                open_sessions=[row[0] for row in database.execute("SELECT app_id FROM open_session")],
                audit=[(row[0], row[1], row[2] or "") for row in database.execute("SELECT action, target, new FROM audit")],
                # An inventory (06 §10), such as a machine's conditions, may change at any moment, even
                # the last one, and is reported again after each start. One that is never delivered
                # shows before the nodes are stopped.
                waiting=[row[0] for row in database.execute("SELECT kind FROM outbox_item WHERE kind <> 8 ORDER BY kind")],
                settings=facts.settings[name], warnings=list(facts.status[name]["warnings"]),
                listed=_listed(facts.usage[name]), at_parent=at_parent[name],
                listed_at_parent=_listed(facts.parent_usage[name]),
                rules_at_parent={key: held for key, held in registers[name].items() if key in rules},
                commands=list(facts.commands[name]), losses=losses[name])
    parent_status = facts.status[family.parent.name]
    return Observation(children=seen, parent_warnings=list(parent_status["warnings"]),
                       parent_settings=facts.settings[family.parent.name], strangers=strangers, damaged=damaged,
                       outstanding=facts.outstanding, without_agent=facts.without_agent)


_RECORDS = ("SELECT record_id, app_id, display_name, session_start, session_end, active, earned, sessions "
            "FROM usage_record")
_LOSSES = ("SELECT coalesce(sum(sessions), 0), coalesce(sum(active), 0), coalesce(sum(earned), 0) FROM usage_loss "
           "WHERE device_id = ?")
_REGISTERS = "SELECT zone, key, value, modified_wall, modified_counter FROM register"


def _open(node: Node, work: pathlib.Path) -> sqlite3.Connection:
    return open_copy(node.folder, work / "evidence" / node.name)


def _registers(database: sqlite3.Connection, machine: bytes | None) -> dict[tuple[str, str], Held]:
    """Returns the registers of the family, of the children and of one machine; on a child, of that
    machine only.
    """
    held = {}
    for zone, key, value, wall, counter in database.execute(_REGISTERS):
        form, name = bytes(zone)[0], bytes(zone)[1:]
        if form == 3 and machine is not None and name != bytes(machine):
            continue
        place = {1: "family", 3: "machine"}.get(form) or f"child/{uuid_text(name)}"
        held[place, key] = Held(value, (wall, counter))
    return held


def _damage(node: Node, database: sqlite3.Connection) -> list[str]:
    verdict = [row[0] for row in database.execute("PRAGMA integrity_check")]
    return [] if verdict == ["ok"] else [f"{node.name}: {verdict[:3]}"]


def _record(row: Any) -> Record:
    return Record(bytes(row[0]).hex(), *row[1:])


def _listed(sessions: list[dict[str, Any]]) -> list[Record]:
    records = [session["record"] for session in sessions if not session["isOpen"]]
    return [record_of(record) for record in records]


def record_of(value: dict[str, Any]) -> Record:
    """Returns a record from the local API."""
    return Record(value["recordID"], value["appID"], value["displayName"], value["sessionStart"], value["sessionEnd"],
                  value["activeMilliseconds"], value["earnedMilliPoints"], value.get("sessions", 1))


def _outcome(receipt: bytes) -> str:
    """Returns the outcome of a receipt, which is a protobuf message."""
    data, place = bytes(receipt), 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(data):
        tag = number()
        if tag & 7 == 2:
            length = number()
            place += length
        else:
            value = number()
            if tag >> 3 == 2:
                return OUTCOMES.get(value, f"outcome {value}")
    return "no outcome"
