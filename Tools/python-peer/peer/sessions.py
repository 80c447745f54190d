"""Sessions of use on a child's machine: running programs, and records.

Spec: Protocol/06-messages.md section 5, Protocol/10-household.md section 4
"""

import os
from dataclasses import dataclass
from pathlib import Path

from . import inventory, registers, schema
from . import use as used
from .clock import wall
from .household import CONTROL, USAGE, Household
from .points import Points
from .store import Store
from .values import CATEGORIES, uuid_text

_USAGE, _TRACKED, _MOST_RUNNING = 3, 1, 48


@dataclass
class Session:
    """A session that has not ended."""

    id: bytes
    app: str
    name: str
    category: str
    rate: int
    child: bytes | None
    since: int  # household time
    started: int  # wall time


def _zone() -> str:
    return str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2] or "UTC"


class Sessions:
    """The running sessions of this machine; each method that changes something is one transaction.
    """

    def __init__(self, store: Store):
        self.household, self.store = Household(store), store
        self.points = Points(self.household)
        self._sessions: dict[str, Session] = {}

    def owner(self, uid: int) -> bytes | None:
        """Return the child to whom the account belongs; None if it is not assigned."""
        held = self.household.registers().get((registers.MACHINE, self.household.own, f"account/{uid}"))
        children = self.household.children()
        if held is not None and held.HasField("value"):
            try:
                child = uuid_text(held.value)
            except ValueError:
                return None
            return child if child in children else None
        return children[0] if len(children) == 1 else None

    def start(self, app: str, minutes_ago: int = 0) -> bytes:
        """Begin a session that counts from some minutes ago; return the ID of its future record."""
        with self.store.transaction():
            session = self._sessions[app] = self._session(app, minutes_ago * 60_000)
            self.send_running(self.store.active())
            self.settle()
            return session.id

    def stop(self, app: str) -> bytes:
        """End a session: queue its record for every parent, and write what it earned or cost."""
        session = self._sessions.pop(app)
        with self.store.transaction():
            self._record(session, max(0, self.household.clock.time() - session.since))
            self.send_running(self.store.active())
            self.settle()
        return session.id

    def use(self, app: str, minutes: int) -> bytes:
        """Record a session of exactly some minutes that ends now, and that was not reported before.
        """
        with self.store.transaction():
            session = self._session(app, minutes * 60_000)
            self._record(session, minutes * 60_000)
            self.settle()
        return session.id

    def _session(self, app: str, back: int) -> Session:
        child = self.owner(os.getuid())
        rules = self.household.rules(child)
        since, started = self.household.clock.time() - back, wall() - back
        return Session(os.urandom(16), app, rules.name(app), *rules.category(app), child, since, started)

    def _record(self, session: Session, active: int) -> None:
        record = self._made(session, active)
        if session.child:
            beside = self._is_beside_reward(session, active)
            record.earned_milli_points = self.points.of_session(session.child, record, beside)
        self.keep(record)
        body = record.SerializeToString()
        self.store.run("insert into usage values(?,?)", record.record_id, body)
        for parent in self.store.active():
            self.store.enqueue(parent, USAGE, _USAGE, record.record_id, body)

    def _is_beside_reward(self, session: Session, active: int) -> bool:
        """Tell whether the child used a reward on this machine during a part of a session."""
        own = self.store.all("select record from record where child=? and device=?", session.child, self.household.own)
        ended = [used.of_record(schema.UsageRecord.FromString(row[0])) for row in own]
        spans = [(stretch.start, stretch.end) for stretch in ended if stretch.category == "reward"]
        spans += [(other.since, self.household.clock.time()) for other in self._sessions.values()
                  if other.category == "reward" and other.child == session.child]  # fmt: skip
        return any(start < session.since + active and end > session.since for start, end in spans)

    def _made(self, session: Session, active: int):
        return schema.UsageRecord(
            record_id=session.id, device=self.household.own, app_id=session.app, display_name=session.name,
            session_start=session.started, session_end=session.started + active, zone=_zone(),
            active_milliseconds=active, category=CATEGORIES.index(session.category) + 1,
            milli_points_per_minute=session.rate, evidence=_TRACKED, account=os.getuid(), child=session.child,
            household_start=session.since,
        )  # fmt: skip

    def keep(self, record) -> None:
        """Store a record of this machine or of another one; within a transaction."""
        child = record.child if record.HasField("child") else None
        self.store.run("insert or ignore into record values(?,?,?,?,?)", record.device, record.record_id, child,
                       record.session_start, record.SerializeToString())  # fmt: skip

    def send_running(self, parents: list[bytes]) -> None:
        """Queue the running programs for parents; within a transaction."""
        time = self.household.clock.time()
        lines = [[session.id.hex(), str(os.getuid()), (session.child or b"").hex(), session.app, session.name,
                  session.category, str(session.rate), str(session.since), str(max(0, time - session.since))]
                 for session in sorted(self._sessions.values(), key=lambda session: session.id)]  # fmt: skip
        self.give(parents, "running", lines[:_MOST_RUNNING])

    def give(self, parents: list[bytes], kind: str, lines: list[list[str]]) -> None:
        """Queue a list of this machine for parents; within a transaction."""
        own = self.household.own
        row = self.store.one("select number from inventory where machine=? and kind=?", own, kind)
        texts = ["\n".join(entry) for entry in lines]
        told = schema.Inventory(kind=kind, number=int(row[0]) + 1 if row else 1, parts=1, entries=texts)
        inventory.keep(self.store, own, told, own)
        for parent in parents:
            self.store.enqueue(parent, CONTROL, inventory.ITEM, os.urandom(16), told.SerializeToString())

    def settle(self) -> None:
        """State whether points are wanted, and return the unwanted ones; within a transaction."""
        self.household.begin_day()
        for child in self.household.children():
            running = {s.child for s in self._sessions.values() if s.category == "reward"}
            self.points.settle(child, child in running)

    def stretches(self, child: bytes) -> list[used.Stretch]:
        """Return the use of a child on all machines, including reported running programs."""
        found, own = self.household.stretches(child), self.household.own
        for session in self._sessions.values():
            if session.child == child:
                active = max(0, self.household.clock.time() - session.since)
                found.append(used.of_record(self._made(session, active)))
        for machine, told in inventory.entries(self.store, "running").items():
            for lines in told if machine != own else ():
                if lines[2] == child.hex():
                    found.append(used.Stretch(int(lines[7]), int(lines[8]), lines[3], lines[5]))
        return found
