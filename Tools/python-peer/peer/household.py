"""The household's data on a machine of either role: registers, facts and records.

Spec: Protocol/10-household.md section 2, Protocol/12-facts.md
"""

import contextlib
import os
import uuid
from collections.abc import Callable
from datetime import date, timedelta

from . import facts, ledger, registers, schema, use
from .facts import Fact
from .faults import BrokenRule, NoRoom, Refused
from .identity import CHILD, PARENT
from .rules import Rules
from .zones import Zones

CONTROL, COMMAND, RECEIPT, USAGE = 1, 2, 3, 4
FACTS = 11
UNREADABLE, WRONG_ID, FOREIGN, ROLE, UNKNOWN, NO_ROOM = 1, 2, 3, 4, 5, 6
_MOST_FACTS, _MOST_BYTES, _DAYS_KEPT = 128, 24_576, timedelta(14)


class Household(Zones):
    """Registers, facts and records in the store; changes are made within its transactions."""

    _oldest: date | None = None  # data of days before it was deleted

    def rules(self, child: bytes | None = None) -> Rules:
        """Return the rules of a child, or of the family without one."""
        wanted = [(registers.FAMILY, b"")] + ([(registers.CHILD, child)] if child else [])
        found = [
            (registers.ZONE_NAMES[place[0]], place[2], register.value)
            for place, register in sorted(self.registers().items(), key=lambda held: registers.time(held[1].modified))
            if place[:2] in wanted and register.HasField("value")
        ]
        return Rules(found + (self._granted(child) if child else []))

    def day(self) -> date:
        """Return the family's present day."""
        return self.clock.day(self.rules().days)

    # Requests

    def _granted(self, child: bytes) -> list[tuple[str, str, str]]:
        """Return the time that answers grant, as registers."""
        found = []
        for id_, (request, answer) in self.requests(child).items():
            _, _, wish, what, _ = request.said
            if answer is not None and wish == "time" and answer.said[1]:
                minutes, space, scope = what.partition(" ")
                value = f"{answer.said[2] or minutes}{space}{scope}"
                found.append(("child", f"today/{request.day}/grant/{uuid.UUID(bytes=id_)}", value))
        return found

    def requests(self, child: bytes) -> dict[bytes, tuple[Fact, Fact | None]]:
        """Return a child's requests, each with the answer that counts if it was given in time."""
        answers: dict[bytes, Fact] = {}
        found = {fact.said[0]: fact for fact in self.facts(child, "request")}
        for fact in sorted(self.facts(child, "answer"), key=lambda fact: (fact.at, fact.text)):
            answers.setdefault(fact.said[0], fact)
        counts = {id_: fact for id_, fact in answers.items() if id_ in found and fact.day <= found[id_].day}
        return {id_: (request, counts.get(id_)) for id_, request in found.items()}

    # Facts

    def facts(self, child: bytes, kind: str | None = None) -> list[Fact]:
        """Return a child's facts, in their order of arrival."""
        rows = self.store.all("select kind, text from fact where child=? order by rowid", child)
        return [facts.read(*row) for row in rows if kind in (None, row[0])]

    def entries(self, child: bytes) -> list[ledger.Entry]:
        """Return the entries of a child's ledger."""
        return [fact.said[0] for fact in self.facts(child, "ledger")]

    def balance(self, child: bytes) -> int:
        return ledger.balance(self.entries(child))

    def purse(self, child: bytes, device: bytes | None = None) -> int:
        """Return the points of a child that a device may spend; a negative purse counts as empty.
        """
        return max(0, ledger.purses(self.entries(child)).get(device or self.own, 0))

    def make(self, child: bytes, kind: str, text: str) -> Fact:
        """Store a fact of this machine's own, and queue it for all holders of the child's facts."""
        fact = facts.read(kind, text)
        with self.store.transaction():
            if self._keep(child, fact):
                self._tell({child: [fact]}, None)
        return fact

    def write(
        self, child: bytes, kind: str, source: bytes, amount: int,
        day: date | None = None, at: int | None = None, **more,
    ) -> ledger.Entry:  # fmt: skip
        """Write an entry of this machine's own purse, with the present day and time unless others
        are given.
        """
        at = self.clock.time() if at is None else at
        return self.enter(child, ledger.Entry(kind, source, self.own, amount, day or self.day(), at, **more))

    def enter(self, child: bytes, entry: ledger.Entry) -> ledger.Entry:
        """Store a new or changed entry of this machine's own purse, which never takes more than the
        purse has.
        """
        replaced = sum(held.amount for held in self.entries(child) if held.identity == entry.identity)
        if replaced - entry.amount > self.purse(child):
            raise NoRoom("The purse of this machine does not hold that much.")
        self.make(child, "ledger", entry.text)
        return entry

    def _keep(self, child: bytes, fact: Fact) -> bool:
        """Store a fact; tell whether that changed anything."""
        row = self.store.one("select text from fact where child=? and kind=? and identity=?",
                             child, fact.kind, fact.identity)  # fmt: skip
        if row is not None:
            if facts.kept(facts.read(fact.kind, row[0]), fact).text == row[0]:
                return False
            self.store.run("update fact set text=? where child=? and kind=? and identity=?",
                           fact.text, child, fact.kind, fact.identity)  # fmt: skip
            return True
        count = self.store.one("select count(*) from fact where child=? and kind=?", child, fact.kind)[0]
        if count >= facts.MOST[fact.kind]:
            raise NoRoom("There is no room for more of this child: remove what is not needed.")
        self.store.run("insert into fact values(?,?,?,?)", child, fact.kind, fact.identity, fact.text)
        return True

    def begin_day(self) -> None:
        """Delete the data of days long past: registers of one day, requests and answers."""
        oldest = self.day() - _DAYS_KEPT
        if oldest == self._oldest:
            return
        self._oldest = oldest
        self.forget_registers(oldest)
        for child in self.children():
            for fact in self.facts(child):
                if fact.kind in ("request", "answer") and fact.day < oldest:
                    self.store.run("delete from fact where child=? and kind=? and identity=?",
                                   child, fact.kind, fact.identity)  # fmt: skip

    # Who holds facts

    def holders(self, child: bytes) -> list[bytes]:
        return [row[0] for row in self.store.all("select peer from holder where child=? order by peer", child)]

    def begin(self, peer: bytes, child: bytes) -> None:
        """Make a peer a holder of a child's facts, and send it all of them."""
        if self.store.one("select 1 from holder where peer=? and child=?", peer, child) is None:
            self.store.run("insert into holder values(?,?)", peer, child)
        own_first = sorted(self.facts(child), key=lambda fact: fact.author != peer)
        self.send_facts(peer, {child: own_first})

    def send_all_facts(self, peer: bytes) -> None:
        """Queue all facts that a peer holds again, since it may have lost some."""
        for child in self.children():
            if peer in self.holders(child):
                self.begin(peer, child)

    def remember(self, child: bytes) -> None:
        """Store facts of a child again that were deleted and are still queued."""
        for (body,) in self.store.all("select body from item where class=? and kind=?", CONTROL, FACTS):
            for told in schema.Facts.FromString(body).facts:
                if told.child == child:
                    with contextlib.suppress(NoRoom):
                        self._keep(child, facts.read(told.kind, told.text))

    def end(self, peer: bytes, child: bytes) -> None:
        """Stop sending a peer what concerns a child."""
        self.store.run("delete from holder where peer=? and child=?", peer, child)

    def forget_child(self, child: bytes) -> None:
        """Delete the facts of a child whom this machine no longer serves."""
        for table in ("holder", "fact"):
            self.store.run(f"delete from {table} where child=?", child)

    def _tell(self, new: dict[bytes, list[Fact]], giver: bytes | None) -> None:
        for child, found in new.items():
            for peer in self.holders(child):
                if peer != giver:
                    self.send_facts(peer, {child: found})

    def send_facts(self, peer: bytes, new: dict[bytes, list[Fact]]) -> None:
        """Queue facts for a peer, in items of a permitted size."""
        item, size = schema.Facts(), 0
        for child, found in new.items():
            for fact in found:
                if len(item.facts) == _MOST_FACTS or size + fact.size > _MOST_BYTES:
                    self._queue_facts(peer, item)
                    item, size = schema.Facts(), 0
                item.facts.add(child=child, kind=fact.kind, text=fact.text)
                size += fact.size
        if item.facts:
            self._queue_facts(peer, item)

    def _queue_facts(self, peer: bytes, item) -> None:
        self.store.enqueue(peer, CONTROL, FACTS, os.urandom(16), item.SerializeToString())

    def take_facts(self, peer: bytes, body: bytes, settle: Callable[[], None]) -> list[dict]:
        """Store the facts of an item and return the new ones; raise Refused if one was refused."""
        try:
            item = schema.parse(schema.Facts, body)
        except BrokenRule:
            raise Refused(UNREADABLE) from None
        sizes = [len(fact.kind.encode()) + len(fact.text.encode()) + 32 for fact in item.facts]
        if not 1 <= len(sizes) <= _MOST_FACTS or sum(sizes) > _MOST_BYTES:
            raise Refused(UNREADABLE)
        new: dict[bytes, list[Fact]] = {}
        first: int | None = None
        for told in item.facts:
            try:
                fact = self._readable(peer, told)
                if self._keep(told.child, fact):
                    new.setdefault(told.child, []).append(fact)
            except Refused as refused:
                first = first or refused.reason
            except NoRoom:
                first = first or NO_ROOM
        self._tell(new, peer)
        settle()
        events = [{"event": "fact", "kind": fact.kind, "text": fact.text} for found in new.values() for fact in found]
        if first is not None:
            refused = Refused(first)
            refused.events = events
            raise refused
        return events

    def _readable(self, peer: bytes, told) -> Fact:
        if len(told.child) != 16:
            raise Refused(FOREIGN)
        is_child = self.store.role == CHILD
        if not (self.serves(self.own, told.child) if is_child else self.has_served(peer, told.child)):
            raise Refused(FOREIGN)
        if told.kind not in facts.MOST:
            raise Refused(UNKNOWN)
        try:
            fact = facts.read(told.kind, told.text)
        except ValueError:
            raise Refused(UNREADABLE) from None
        role = self.store.role_of(fact.author)
        if (role == CHILD and fact.kind in facts.AUTHORED_BY_PARENT) or (
            role == PARENT and fact.kind in facts.AUTHORED_BY_CHILD
        ):
            raise Refused(ROLE)
        return fact

    # Use

    def stretches(self, child: bytes) -> list[use.Stretch]:
        """Return the use of a child on all known machines, both recorded and running."""
        rows = self.store.all("select record from record where child=?", child)
        return [use.of_record(schema.UsageRecord.FromString(row[0])) for row in rows]
