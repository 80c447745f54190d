"""Sessions of use on a child's machine: running programs, and records.

Spec: Protocol/06-messages.md section 5, Protocol/10-household.md section 4
"""

import os
from dataclasses import dataclass
from pathlib import Path

from . import inventory, schema
from . import use as used
from .clock import wall
from .household import CONTROL, USAGE, Household
from .named import Account
from .points import Points
from .store import Store
from .values import CATEGORIES, SCREEN_TIME

_USAGE, _TRACKED, _MOST_RUNNING = 3, 1, 48


@dataclass(frozen=True)
class Part:
    """What a session is for one child, or for nobody."""

    record: bytes  # the ID that the record will have
    child: bytes | None
    name: str
    category: str
    rate: int


@dataclass
class Session:
    """A session that has not ended; it has several parts in an account that is used together."""

    app: str
    parts: list[Part]
    is_shared: bool  # whether several children share the account
    since: int  # household time
    started: int  # wall time

    @property
    def id(self) -> bytes:
        return self.parts[0].record

    @property
    def children(self) -> list[bytes]:
        return [part.child for part in self.parts if part.child is not None]

    def part(self, child: bytes) -> Part | None:
        """Return the part of a child."""
        return next((part for part in self.parts if part.child == child), None)


def _zone() -> str:
    return str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2] or "UTC"


def record_id(session: bytes, child: bytes, is_first: bool) -> bytes:
    """Return the ID of the record of a child for a session that counts for several."""
    return session if is_first else bytes(a ^ b for a, b in zip(session, child, strict=True))


class Sessions:
    """The running sessions of this machine; each method that changes something is one transaction.
    """

    def __init__(self, store: Store):
        self.household, self.store = Household(store), store
        self.points = Points(self.household)
        self.account = Account(self.household, os.getuid())
        self._sessions: dict[str, Session] = {}

    def start(self, app: str, minutes_ago: int = 0) -> bytes:
        """Begin a session that counts from some minutes ago; return the ID of its future record."""
        with self.store.transaction():
            session = self._sessions[app] = self._session(app, minutes_ago * 60_000)
            self.send_running(self.store.active())
            self.settle()
            return session.id

    def stop(self, app: str) -> bytes:
        """End a session: queue its record for every parent, and write what it earned or cost."""
        with self.store.transaction():
            session = self._sessions.pop(app)
            self._end(session)
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

    def look(self) -> None:
        """Look who is there. If that has changed, sessions end, and what runs goes on in new ones."""
        with self.store.transaction():
            self.account.look()
            users, is_shared = self.account.users(), self.account.is_shared
            changed = [session for session in self._sessions.values()
                       if session.children != users and (session.is_shared or is_shared)]  # fmt: skip
            for session in changed:
                self._end(session)
                self._sessions[session.app] = self._session(session.app, 0)
            if changed:
                self.send_running(self.store.active())
            self._tell_conditions()
            self.settle()

    def _session(self, app: str, back: int) -> Session:
        id_, users = os.urandom(16), self.account.users()
        since, started = self.household.clock.time() - back, wall() - back
        parts = []
        for child in users or [None]:
            rules = self.household.rules(child)
            category, rate = rules.category(app)
            record = id_
            if len(users) > 1:  # it counts for each, and earns nothing
                category, rate = "neutral" if category == "learning" else category, 0
                record = record_id(id_, child, child == users[0])
            parts.append(Part(record, child, rules.name(app), category, rate))
        return Session(app, parts, self.account.is_shared, since, started)

    def _end(self, session: Session) -> None:
        self._record(session, max(0, self.household.clock.time() - session.since))

    def _record(self, session: Session, active: int) -> None:
        for part in session.parts:
            record = self._made(session, part, active)
            if session.children == [part.child] and part.child in self.household.children():
                beside = self._is_beside_reward(session, active)
                record.earned_milli_points = self.points.of_session(part.child, record, beside)
            self.keep(record)
            body = record.SerializeToString()
            self.store.run("insert into usage values(?,?)", record.record_id, body)
            for parent in self.store.active():
                self.store.enqueue(parent, USAGE, _USAGE, record.record_id, body)

    def _is_beside_reward(self, session: Session, active: int) -> bool:
        """Tell whether the child used a reward on this machine during a part of a session."""
        (child,) = session.children
        own = self.store.all("select record from record where child=? and device=?", child, self.household.own)
        ended = [used.of_record(schema.UsageRecord.FromString(row[0])) for row in own]
        spans = [(stretch.start, stretch.end) for stretch in ended if stretch.category == "reward"]
        spans += [(other.since, self.household.clock.time()) for other in self._sessions.values()
                  if (part := other.part(child)) and part.category == "reward"]  # fmt: skip
        return any(start < session.since + active and end > session.since for start, end in spans)

    def _made(self, session: Session, part: Part, active: int):
        return schema.UsageRecord(
            record_id=part.record, device=self.household.own, app_id=session.app, display_name=part.name,
            session_start=session.started, session_end=session.started + active, zone=_zone(),
            active_milliseconds=active, category=CATEGORIES.index(part.category) + 1,
            milli_points_per_minute=part.rate, evidence=_TRACKED, account=self.account.uid, child=part.child,
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
        found = [[part.record.hex(), str(self.account.uid), (part.child or b"").hex(), session.app, part.name,
                  part.category, str(part.rate), str(session.since), str(max(0, time - session.since))]
                 for session in self._sessions.values() for part in session.parts]  # fmt: skip
        # Without room for all, rewards come first, then the time at the machine.
        lines = sorted(found, key=lambda line: (line[5] != "reward", line[3] != SCREEN_TIME, line))[:_MOST_RUNNING]
        self.give(parents, "running", sorted(lines), len(found) - len(lines))

    def _tell_conditions(self) -> None:
        """Queue what weakens the rules here, if that has changed; within a transaction."""
        lines = [[condition] for condition in self.account.conditions()]
        if lines != inventory.entries(self.store, "conditions", self.household.own).get(self.household.own, []):
            self.give(self.store.active(), "conditions", lines)

    def give(self, parents: list[bytes], kind: str, lines: list[list[str]], more: int = 0) -> None:
        """Queue a list of this machine, without some more entries, for parents; within a transaction.
        """
        own = self.household.own
        row = self.store.one("select number from inventory where machine=? and kind=?", own, kind)
        texts = ["\n".join(entry) for entry in lines]
        told = schema.Inventory(kind=kind, number=int(row[0]) + 1 if row else 1, parts=1, more=more, entries=texts)
        inventory.keep(self.store, own, told, own)
        for parent in parents:
            self.store.enqueue(parent, CONTROL, inventory.ITEM, os.urandom(16), told.SerializeToString())

    def settle(self) -> None:
        """State whether points are wanted, and return the unwanted ones; within a transaction."""
        self.household.begin_day()
        for child in self.household.children():
            parts = [session.part(child) for session in self._sessions.values() if session.children == [child]]
            self.points.settle(child, any(part.category == "reward" for part in parts))

    def stretches(self, child: bytes) -> list[used.Stretch]:
        """Return the use of a child on all machines, including reported running programs."""
        found, own = self.household.stretches(child), self.household.own
        for session in self._sessions.values():
            if part := session.part(child):
                active = max(0, self.household.clock.time() - session.since)
                found.append(used.of_record(self._made(session, part, active)))
        for machine, told in inventory.entries(self.store, "running").items():
            for lines in told if machine != own else ():
                if lines[2] == child.hex():
                    found.append(used.Stretch(int(lines[7]), int(lines[8]), lines[3], lines[5]))
        return found
