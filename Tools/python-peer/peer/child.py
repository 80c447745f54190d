"""A child's machine: it asks, decides, and executes what its parents send.

Spec: Protocol/06-messages.md, Protocol/10-household.md, Protocol/12-facts.md
"""

import secrets

from . import decision, inventory, schema, shared
from . import use as used
from .accounts import people
from .clock import wall
from .commands import Commands
from .faults import BrokenRule, NoRoom, NotNamed, Refused
from .household import ROLE, UNKNOWN, UNREADABLE, WRONG_ID
from .sessions import Sessions
from .store import Store

_KEPT, _RECENT = 15 * 86_400_000, 300.0  # milliseconds and seconds


class Child(Sessions):
    """The state and actions of a child's machine; each method is one transaction."""

    def __init__(self, store: Store):
        super().__init__(store)
        self._commands = Commands(self.household, self.points)
        store.paired = self.greet

    # A parent is new, or has lost something

    def greet(self, parent: bytes) -> None:
        """Queue for a parent what this machine holds."""
        self._commands.report(parent)
        self.give([parent], "accounts", [[str(uid), name, full_name, ""] for uid, name, full_name in people()])
        if self._sessions:
            self.send_running([parent])
        if weak := inventory.entries(self.store, "conditions", self.household.own):
            self.give([parent], "conditions", weak[self.household.own])
        parents = self.store.all("select id, name, paired_at from peer where state='active' order by paired_at desc")
        if len(parents) > 1:
            lines = [[device.hex(), name, str(at), ""] for device, name, at in parents[:16]]
            self.give([receiver for receiver, _, _ in parents], "parents", lines)

    def repeat(self, parent: bytes) -> None:
        """Queue the part of the control stream again that a parent has lost."""
        self.greet(parent)
        self.household.send_all_facts(parent)

    # Points and requests

    def met(self, parent: bytes, is_up: bool) -> None:
        """Handle that a session with a parent has opened or ended."""
        with self.store.transaction():
            (self.points.in_touch.add if is_up else self.points.in_touch.discard)(parent)
            self.settle()

    def ask(self, child: bytes, wish: str, reason: str) -> bytes:
        """Ask the parents: `time` and a grant, or `app` and an application's ID."""
        with self.store.transaction():
            today = self.household.day()
            if sum(fact.day == today for fact in self.household.facts(child, "request")) >= 64:
                raise NoRoom("There were 64 requests today: ask again tomorrow.")
            id_ = secrets.token_bytes(16)
            head = f"{id_.hex()} {today} {self.household.clock.time()} {self.household.own.hex()}"
            self.household.make(child, "request", f"{head}\n{wish}\n{reason}")
            return id_

    # An account that several children share

    def name(self, child: bytes, pin: str) -> None:
        """Say with its PIN that a child is there; raise NotNamed if it is not taken."""
        try:
            self.account.check(child, pin)
            with self.store.transaction():
                self.account.name(child)
                self.look()
        except NotNamed:
            self.look()  # parents see wrong PINs
            raise

    def leave(self) -> None:
        """Say that nobody is there any more, which needs no PIN."""
        with self.store.transaction():
            self.account.leave()
            self.look()

    # Decisions

    def decide(self, app: str) -> tuple[bytes, decision.Verdict]:
        """Decide whether an application may run now in this machine's account; return whose rule it
        is as well.
        """
        self.look()
        with self.store.transaction():
            users = self.account.users()
            if not users:
                raise NoRoom("This account is no child's: no rules hold in it.")
            place, verdict = shared.strictest([self.verdict(child, app, len(users) > 1) for child in users])
            return users[place], verdict

    def verdict(self, child: bytes, app: str, is_unnamed: bool = False) -> decision.Verdict:
        """Decide by a child's own rules whether an application may run now."""
        with self.store.transaction():
            rules = self.household.rules(child)
            time, _ = self.household.clock.read()
            sessions = [session for session in self._sessions.values() if session.part(child)]
            running = [session.app for session in sessions]
            spent = rules.use(self.stretches(child))
            cost = sum(part.rate * max(0, time - session.since) for session in sessions
                       if (part := session.part(child)).category == "reward")  # fmt: skip
            spendable = max(0, self.points.spendable(child) - -(-cost // 60_000))
            state = decision.State(time, self.household.day(), spent, spendable, self.points.redeemed(child), running)
            state.presence, state.is_unnamed = rules.presence(self.stretches(child)), is_unnamed
            return decision.decide(rules, state, app)

    # Items that arrive

    def take(self, peer: bytes, class_: int, item) -> list[dict]:
        """Bring a parent's item into force, within the transaction; raise Refused for one that is
        refused.
        """
        match class_, item.kind:
            case (2, _):
                found = [self._commands.execute(peer, item)]
                self.look()
                return found
            case (1, 11):
                return self.household.take_facts(peer, item.body, self.settle)
            case (1, inventory.ITEM):
                return self._take_list(peer, item.body)
            case (4, 3):
                return self._take_record(item)
            case (3, 2):  # of a command, which no child's machine may issue
                receipt = _read(schema.Receipt, item.body)
                return [{"event": "receipt", "outcome": receipt.outcome, "reason": receipt.reason}]
            case (1, 9) | (4, 6):
                raise Refused(ROLE)
        raise Refused(UNKNOWN)

    def _take_record(self, item) -> list[dict]:
        record = _read(schema.UsageRecord, item.body)
        if record.record_id != item.id:
            raise Refused(WRONG_ID)
        served = record.child in self.household.children()
        start = used.of_record(record).start
        if not served or record.device == self.household.own or start <= wall() - _KEPT:
            return []
        self.keep(record)
        return [{"event": "record", "id": item.id.hex(), "app": record.app_id}]

    def _take_list(self, peer: bytes, body: bytes) -> list[dict]:
        told = inventory.read(body)
        if not inventory.KINDS[told.kind].is_shared or told.device in (b"", peer):
            raise Refused(ROLE)
        if told.device == self.household.own or inventory.is_outdated(self.store, told.device, told, peer, _RECENT):
            return []  # another parent knows a later one
        known = inventory.of(told, set(self.household.children()), told.device)
        inventory.keep(self.store, told.device, known, peer)
        apps = [text.split("\n")[3] for text in known.entries]
        return [{"event": told.kind, "device": told.device.hex(), "apps": apps}]


def _read(kind, body: bytes):
    try:
        return schema.parse(kind, body)
    except BrokenRule:
        raise Refused(UNREADABLE) from None
