"""Planted faults in records of use."""
import copy
import random

from api import ACCEPTED, REFUSED, UNKNOWN
from ledger import Ledger
from observation import ChildSeen, Observation, Record


class NoVictim(Exception):
    """The error for a run that has nothing in which this fault could be planted."""


def _plain(ledger: Ledger) -> set[str]:
    """Returns the applications of undisturbed sessions."""
    return {s.app for s in ledger.sessions if s.fate == ACCEPTED and not s.on_copy and not any(
        s.child == b.child and b.kind == "restored" for b in ledger.setbacks)}


def _records(ledger: Ledger, seen: Observation, chance: random.Random,
             fewest: int = 1) -> tuple[str, ChildSeen, Record]:
    """Chooses a record of an undisturbed session that is at both places, on a child that has
    dropped nothing.

    The child has at least `fewest` records of such sessions.
    """
    plain = _plain(ledger)
    found = [(name, there, record) for name, there in seen.children.items() for record in there.records
             if record in there.at_parent and record.app in plain and there.losses[0] == 0
             and sum(r.app in plain for r in there.records) >= fewest]
    if not found:
        raise NoVictim(f"no child has {fewest} records that are at both places")
    return chance.choice(found)


def _lose_record(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance)
    there.at_parent = [r for r in there.at_parent if r.id != record.id]
    return f"the record {record.id} of {name} is not at the parent", record.id


def _lose_at_child(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance)
    there.records = [r for r in there.records if r.id != record.id]
    return f"{name} has lost its record {record.id}", record.id


def _double_record(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance)
    there.at_parent.append(copy.copy(record))
    return f"the record {record.id} of {name} is twice at the parent", record.id


def _second_record(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance)
    there.at_parent.append(Record("00" * 16, *list(vars(record).values())[1:]))
    return f"the session of the record {record.id} of {name} is at the parent under two IDs", record.id


def _alter_record(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance)
    there.at_parent = [copy.copy(r) for r in there.at_parent]
    next(r for r in there.at_parent if r.id == record.id).active += 1
    return f"the record {record.id} of {name} is a millisecond longer at the parent", record.id


def _repeat_id(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, record = _records(ledger, seen, chance, fewest=2)
    other = chance.choice([r for r in there.records if r.id != record.id and r.app in _plain(ledger)])
    old = other.id
    for r in [*there.records, *there.at_parent]:
        if r.id == old:
            r.id = record.id
    return f"the records of {record.app} and {other.app} on {name} have one ID", record.id


def _wrong_total(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    found = [(name, r) for name, there in seen.children.items() for r in there.at_parent if r.sessions > 1]
    if not found:
        raise NoVictim("no total is at the parent")
    name, record = chance.choice(found)
    there = seen.children[name]
    record.sessions -= there.losses[0] + 1
    return f"the total {record.id} of {name} stands for too few sessions", name


def _untold_loss(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    for name, there in seen.children.items():
        if there.losses[0] > 0:
            there.losses = (0, 0, 0)
            return f"{name} has not told what it had no room for", name
    raise NoVictim("no child had too little room")


def _ghost_record(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    there = chance.choice(list(seen.children.values()))
    there.at_parent.append(Record("ff" * 16, "use.nobody", "nobody", 1, 2, 1, 0))
    return "the parent has a record that nobody made", "use.nobody"


def _open_for_ever(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    there = chance.choice(list(seen.children.values()))
    there.open_sessions.append("use.open")
    return "a session is open for ever", "use.open"


def _refused_session(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    # A record of an application that has a session with a lost answer may belong to that session.
    lost = {(s.child, s.app) for s in ledger.sessions if s.fate == UNKNOWN}
    refused = [s for s in ledger.sessions if s.fate == REFUSED and (s.child, s.app) not in lost]
    if not refused:
        raise NoVictim("no session was refused")
    entry = chance.choice(refused)
    seen.children[entry.child].at_parent.append(Record("ee" * 16, entry.app, entry.name, 1, 2, 1, 0))
    return f"{entry.title} was refused and is there", entry.title


PLANTS_IN_USE = {
    "record-lost": _lose_record, "record-lost-at-child": _lose_at_child, "record-twice": _double_record,
    "record-second-id": _second_record, "record-altered": _alter_record, "record-id-repeated": _repeat_id,
    "record-ghost": _ghost_record, "total-wrong": _wrong_total, "loss-untold": _untold_loss,
    "session-open": _open_for_ever, "session-refused": _refused_session,
}
