"""A parent's machine: it answers requests, gives and lends points, and relays the reports of its
machines.

Spec: Protocol/10-household.md section 4, Protocol/12-facts.md
"""

import os
from datetime import UTC, datetime, timedelta

from . import inventory, registers, schema, use
from .edits import Edits
from .facts import Fact
from .faults import BrokenRule, NoRoom, Refused
from .household import CONTROL, FOREIGN, ROLE, UNKNOWN, UNREADABLE, USAGE, WRONG_ID
from .registers import CHILD, MACHINE
from .store import Store

_USAGE = 3
_MOST_TOLD, _DAYS_TOLD = 8_192, timedelta(12)


class Parent(Edits):
    """The state and actions of a parent's machine; each method is one transaction."""

    def __init__(self, store: Store):
        super().__init__(store)
        self.in_touch: set[bytes] = set()  # machines with a session that is up

    def begun(self, machine: bytes, child: bytes) -> None:
        self._send_week(machine, child)
        self.lend()

    # Points and requests

    def adjust(self, child: bytes, milli_points: int, reason: str) -> None:
        """Give or take points: from this machine's purse, and the rest from the child's machines.
        """
        with self.store.transaction():
            household = self.household
            own = milli_points if milli_points > 0 else -min(-milli_points, household.purse(child))
            if own:
                household.write(child, "adjusted", os.urandom(16), own, note=reason)
            missing = own - milli_points if milli_points < 0 else 0
            for machine in household.machines(child):
                part = min(missing, household.purse(child, machine))
                if part > 0:
                    asked = schema.TakePoints(child=child, milli_points=part, day=str(household.day()), reason=reason)
                    self.command(machine, "takePoints", asked)
                    missing -= part
            self.lend()

    def review(self, child: bytes, record: bytes, is_approved: bool) -> None:
        """Decide about learning that a machine holds."""
        for entry in self.household.entries(child):
            if entry.kind == "held" and entry.source == record:
                asked = schema.ReviewLearning(child=child, record=record, is_approved=is_approved)
                self.command(entry.purse, "reviewLearning", asked)

    def answer(self, child: bytes, request: bytes, is_yes: bool, minutes: int | None = None, word: str = "") -> None:
        """Answer an open request; raise NoRoom for another one."""
        with self.store.transaction():
            household = self.household
            asked, answered = household.requests(child)[request]
            if answered is not None or asked.day < household.day():
                raise NoRoom("This request has an answer already, or its day is over: look at the list of requests.")
            wall_, counter, own = household.clock.stamp()
            verdict = ("yes" + (f" {minutes}" if minutes else "")) if is_yes else "no"
            head = f"{request.hex()} {household.day()} {wall_} {counter} {own.hex()}"
            household.make(child, "answer", f"{head}\n{verdict}\n{word}")
            if is_yes and asked.said[2] == "app":
                segment = asked.said[3].replace("%", "%25").replace("/", "%2F")
                self.edit((CHILD, child, f"app/{segment}/blocked", "no"))

    def lend(self) -> None:
        """Lend what this machine's purses hold to connected machines."""
        household = self.household
        household.begin_day()
        for child in household.children():
            machines, purse = household.machines(child), household.purse(child)
            near = [m for m in machines if m in self.in_touch and m in household.holders(child)]
            wants: dict[bytes, Fact] = {}
            if len(machines) > 1:
                wants = {fact.author: fact for fact in household.facts(child, "need") if fact.said[0]}
                near = [machine for machine in near if machine in wants]
            for index, machine in enumerate(near):
                share = purse // len(near) + (index < purse % len(near))
                if share:
                    if machine in wants:  # a restored machine may not know its last statement
                        household.send_facts(machine, {child: [wants[machine]]})
                    household.write(child, "leased", os.urandom(16), -share, other=machine)

    def met(self, machine: bytes, is_up: bool) -> None:
        """Handle that a session with a machine has opened or ended."""
        with self.store.transaction():
            (self.in_touch.add if is_up else self.in_touch.discard)(machine)
            self.lend()

    # Items that arrive

    def take(self, peer: bytes, class_: int, item) -> list[dict]:
        """Bring a machine's item into force, within the transaction; raise Refused for one that is
        refused.
        """
        match class_, item.kind:
            case (3, 2):
                return self.take_receipt(peer, item)
            case (1, 9):
                return self._take_registers(peer, item.body)
            case (1, 11):
                return self.household.take_facts(peer, item.body, self.lend)
            case (1, inventory.ITEM):
                return self._take_list(peer, item.body)
            case (4, 3):
                return self._take_record(peer, item)
            case (4, 6):
                return [{"event": "told", "kind": item.kind}]
            case (1, 5):
                raise Refused(ROLE)
        raise Refused(UNKNOWN)

    def _take_registers(self, peer: bytes, body: bytes) -> list[dict]:
        told = _read(schema.Registers, body).registers
        try:
            registers.check_all(told)
        except ValueError:
            raise Refused(UNREADABLE) from None
        if any(register.zone == MACHINE and register.zone_id != peer for register in told):
            raise Refused(FOREIGN)
        own, held, oldest = self.household.own, self.household.registers(), datetime.now(UTC).date() - _DAYS_TOLD
        for register in told:
            if (day := registers.day(register.key)) is not None and day < oldest:
                continue  # one of the two may have forgotten it
            mine = held.get(registers.place(register))
            if register.modified.author == own and mine is not None and registers.merged(mine, register) == mine:
                continue
            self.household.clock.witness(registers.time(register.modified))
            row = self.store.one("select count(*) from told where machine=?", peer)
            if row[0] < _MOST_TOLD:
                self.store.run("insert or replace into told values(?,?,?,?,?)", peer, *registers.place(register),
                               register.SerializeToString())  # fmt: skip
        return [{"event": "registers", "keys": [register.key for register in told]}]

    def _take_list(self, peer: bytes, body: bytes) -> list[dict]:
        told = inventory.read(body)
        if told.device not in (b"", peer):
            raise Refused(FOREIGN)
        if inventory.KINDS[told.kind].is_shared:
            self._pass_on(peer, told)
        inventory.keep(self.store, peer, told, peer)
        return [{"event": told.kind, "part": told.part, "entries": list(told.entries)}]

    def _pass_on(self, peer: bytes, told) -> None:
        """Queue a shared list for the other machines of the children whom it names or named before."""
        texts = [text.split("\n") for text in told.entries] + inventory.entries(self.store, told.kind, peer).get(peer, [])
        others: dict[bytes, set[bytes]] = {}
        for child in {bytes.fromhex(lines[2]) for lines in texts if lines[2]}:
            for machine in self.household.machines(child) if self.household.serves(peer, child) else ():
                others.setdefault(machine, set()).add(child)
        for machine, children in others.items():
            if machine != peer:
                body = inventory.of(told, children, peer).SerializeToString()
                self.store.enqueue(machine, CONTROL, inventory.ITEM, os.urandom(16), body)

    def _take_record(self, peer: bytes, item) -> list[dict]:
        record = _read(schema.UsageRecord, item.body)
        if record.device != peer:
            raise Refused(FOREIGN)
        if record.record_id != item.id:
            raise Refused(WRONG_ID)
        child = record.child if record.HasField("child") and self.household.serves(peer, record.child) else None
        new = self.store.run("insert or ignore into record values(?,?,?,?,?)", record.device, record.record_id, child,
                             record.session_start, item.body).rowcount  # fmt: skip
        for machine in self.household.machines(child) if new and child else ():
            if machine != peer:
                self.store.enqueue(machine, USAGE, _USAGE, item.id, item.body)
        return [{"event": "record", "app": record.app_id}] if new else []

    def _send_week(self, machine: bytes, child: bytes) -> None:
        """Queue a child's records of the present week for a machine that begins to serve it."""
        days, today = self.household.rules().days, self.household.day()
        monday = days.start(today - timedelta(today.weekday()))
        for device, id_, body in self.store.all("select device, id, record from record where child=?", child):
            if device != machine and use.of_record(schema.UsageRecord.FromString(body)).start >= monday:
                self.store.enqueue(machine, USAGE, _USAGE, id_, body)


def _read(kind, body: bytes):
    try:
        return schema.parse(kind, body)
    except BrokenRule:
        raise Refused(UNREADABLE) from None
