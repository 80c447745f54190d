"""The vectors of accounts that several children share, and checks of who is there in one."""

import contextlib
import os
import pwd
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from unittest import mock

import nacl.pwhash

from . import named, registers, schema, shared
from .child import Child
from .decision import State, Verdict, decide
from .faults import NotNamed
from .identity import CHILD
from .rules import Rules
from .sessions import record_id
from .store import Store

_BEN, _EMMA, _OTHER = b"\1" * 16, b"\2" * 16, b"\3" * 20
_MATHS, _CHESS = "org.example.Maths", "org.example.Chess"


def check_vectors(vectors: dict, equal: Callable) -> None:
    """Read the values of registers, find the waits, and compare what follows from verdicts."""
    for case in vectors["owners"]:
        try:
            told = [str(uuid.UUID(bytes=child)) for child in shared.owners(case["value"])]
        except ValueError:
            told = None
        equal(told, case["children"], f"the owner of an account: {case['value']!r}")
    for case in vectors["waits"]:
        # The present boot is a.
        told = shared.wait(case["count"], case["last"], case["now"], case["boot"] == "a")
        equal(told, case["wait"], f"the wait after wrong PINs: {case}")
    for case in vectors["verdicts"]:
        verdicts = [Verdict(one["allowed"], until=one["until"]) for one in case["verdicts"]]
        category = shared.category([one["category"] for one in case["verdicts"]])
        place, verdict = shared.strictest(verdicts)
        told = {"place": place, "allowed": verdict.allowed, "until": verdict.until, "category": category}
        equal(told, case["strictest"], f"the strictest of {case['verdicts']}")
        place, verdict = shared.mildest(verdicts)
        told = {"place": place, "allowed": verdict.allowed, "until": verdict.until}
        equal(told, case["mildest"], f"the mildest of {case['verdicts']}")


def check_verdicts(equal: Callable) -> None:
    """Combine verdicts that end at different times, and decide about rewards that nobody pays for.
    """
    early, late, never = (Verdict(False, reason, until) for reason, until in (("a", 5), ("b", 9), ("c", None)))
    for verdicts, strictest, mildest in (
        ([early, late], (0, Verdict(False, "a", 9)), (0, early)),
        ([late, early], (0, late), (1, early)),
        ([never, late], (0, never), (1, late)),
        ([Verdict(True, "d", 3), late, early], (1, late), (0, Verdict(True, "d", 3))),
    ):
        equal(shared.strictest(verdicts), strictest, f"the strictest of {verdicts}")
        equal(shared.mildest(verdicts), mildest, f"the mildest of {verdicts}")
    state = State(0, date(2026, 11, 29), spendable=5, redeemed=[(60_000, date(2026, 12, 1))], is_unnamed=True)
    for mode, use, rate, reason in (
        ("points", "payAsYouGo", "1", "unnamed"), ("points", "payAsYouGo", "0", None),
        ("points", "redeemFirst", "0", "unnamed"), ("limits", "payAsYouGo", "1", None),
    ):  # fmt: skip
        set_ = {f"app/{_CHESS}/category": "reward", f"app/{_CHESS}/rate": rate, "mode": mode, "points/use": use}
        verdict = decide(Rules(("family", key, value) for key, value in set_.items()), state, _CHESS)
        equal((verdict.allowed, verdict.reason), (reason is None, reason), f"a reward under {set_}")


class _World:
    """The clock, the boot and the log-in sessions that a machine sees."""

    def __init__(self):
        self.seconds, self.boot, self.sessions = 1_000.0, "one", {"c1"}

    def patched(self) -> contextlib.ExitStack:
        stack = contextlib.ExitStack()
        stack.enter_context(mock.patch.object(named, "now", lambda: self.seconds))
        stack.enter_context(mock.patch.object(named, "boot", lambda: self.boot))
        stack.enter_context(mock.patch.object(named, "logins", lambda _: self.sessions))
        return stack


def _pin(pin: str) -> str:
    return nacl.pwhash.argon2id.str(pin.encode(), opslimit=2, memlimit=19_456 * 1_024).rstrip(b"\0").decode()


class _Machine(Child):
    """A child's machine whose registers are set directly, each later than the one before."""

    def __init__(self, store: Store):
        super().__init__(store)
        self._edits = 0

    def set(self, zone: int, id_: bytes, key: str, value: str | None) -> None:
        self._edits += 1
        register = registers.make(zone, id_, key, value, (self._edits, 0, _OTHER))
        self.household.replace({**self.household.registers(), registers.place(register): register})
        self.look()

    def assign(self, value: str | None, key: str | None = None) -> None:
        self.set(registers.MACHINE, self.household.own, key or f"account/{self.account.uid}", value)

    def serve(self, child: bytes, word: str | None = "yes") -> None:
        self.assign(word, f"child/{uuid.UUID(bytes=child)}")

    def records(self) -> list:
        """Return the records so far, and forget them."""
        rows = self.store.all("select record from usage order by rowid")
        self.store.run("delete from usage")
        return [schema.UsageRecord.FromString(row[0]) for row in rows]


@contextlib.contextmanager
def _machine() -> Iterator[tuple[_Machine, _World]]:
    world = _World()
    with tempfile.TemporaryDirectory() as folder, world.patched():
        machine = _Machine(Store(Path(folder), "Family PC", CHILD))
        for child in (_BEN, _EMMA):
            machine.serve(child)
        yield machine, world
        machine.store.close()


def _both() -> str:
    return " ".join(str(uuid.UUID(bytes=child)) for child in (_BEN, _EMMA))


def check_owners(equal: Callable) -> None:
    """Assign an account by its number and by its name; the later register that can be read holds.
    """
    with _machine() as (machine, _):
        by_name, ben = f"accountName/{pwd.getpwuid(os.getuid()).pw_name}", str(uuid.UUID(bytes=_BEN))
        stranger = "ffffffff" + ben[8:]
        for key, value, wanted in (
            (None, None, []), (None, _both(), [_BEN, _EMMA]), (None, ben, [_BEN]), (by_name, _both(), [_BEN, _EMMA]),
            (None, "nobody", []), (by_name, ben, [_BEN]), (None, ben + " ", [_BEN]),
            (None, f"{ben} {stranger}", [_BEN]), (None, stranger, []), (by_name, None, []),
        ):  # fmt: skip
            machine.assign(value, key)
            equal(machine.account.owners(), wanted, f"whose the account is after {key or 'its number'}: {value!r}")
        machine.serve(_EMMA, None)
        equal(machine.account.owners(), [_BEN], "whose an account is that is not assigned, of an only child's machine")


def _refusal(machine: _Machine, child: bytes, pin: str) -> tuple[str, int] | None:
    try:
        machine.name(child, pin)
    except NotNamed as refused:
        return refused.word, refused.wait
    return None


def check_naming(equal: Callable) -> None:
    """Name children with right and wrong PINs, and end that in every way."""
    with _machine() as (machine, world):
        machine.assign(_both())
        equal(machine.account.conditions(), [f"pin-missing {os.getuid()}"], "what weakens the rules without PINs")
        equal(_refusal(machine, _EMMA, "1234"), ("no-pin", 0), "naming a child without a PIN")
        for child, pin in ((_BEN, "2222"), (_EMMA, "123456789012")):
            machine.set(registers.CHILD, child, "pin", _pin(pin))
            machine.set(registers.CHILD, child, f"app/{_CHESS}/category", "reward")
        machine.set(registers.CHILD, _EMMA, f"app/{_MATHS}/category", "learning")
        equal(machine.account.conditions(), [], "what weakens the rules with PINs")
        _check_use(machine, equal)

        # Wrong PINs delay one child, and not the other.
        for _ in range(4):
            equal(_refusal(machine, _BEN, "3333"), ("forbidden", 0), "a wrong PIN")
        equal(machine.account.conditions(), [], "what parents see after four wrong PINs")
        equal(_refusal(machine, _BEN, "123456789012"), ("forbidden", 0), "another child's PIN")
        equal(_refusal(machine, _BEN, "2222"), ("limit", 60_000), "the right PIN after five wrong ones")
        equal(machine.account.conditions(), [f"pin-tried {os.getuid()}"], "what parents see after five wrong PINs")
        equal(_refusal(machine, b"\7" * 16, "2222"), ("unknown-child", 0), "a child who does not share the account")
        equal(_refusal(machine, _EMMA, "123456789012"), None, "the right PIN of the other child")
        equal(machine.account.users(), [_EMMA], "who is there")
        equal(_refusal(machine, _EMMA, "123456789012"), ("limit", 10_000), "a naming at once after another one")
        world.seconds += 61
        equal(_refusal(machine, _BEN, "2222"), None, "the right PIN after the wait")
        equal(machine.account.there(), _BEN, "who is there")
        equal(machine.account.conditions(), [], "what weakens the rules after the right PIN")

        def ends(what: str, end: Callable, again: Callable) -> None:
            world.seconds += 10
            equal(_refusal(machine, _EMMA, "123456789012"), None, "a naming")
            end()
            machine.look()
            equal(machine.account.there(), None, what)
            again()
            machine.look()
            equal(machine.account.there(), None, f"{what}, undone")

        world.sessions = {"c1", "c2"}
        ends("leaving", machine.leave, lambda: None)
        ends("a log-out", lambda: world.sessions.remove("c1"), lambda: world.sessions.add("c1"))
        ends("a restart", lambda: setattr(world, "boot", "two"), lambda: setattr(world, "boot", "one"))
        ben = str(uuid.UUID(bytes=_BEN))
        ends("an account that is Ben's", lambda: machine.assign(ben), lambda: machine.assign(_both()))
        ends("a child who is not the machine's", lambda: machine.serve(_EMMA, None), lambda: machine.serve(_EMMA))
        world.sessions = set()
        ends("leaving without log-in sessions", machine.leave, lambda: None)
        for _ in range(5):
            world.seconds += 10
            equal(_refusal(machine, _EMMA, ""), ("forbidden", 0), "no PIN")
        machine.serve(_EMMA, None)
        machine.serve(_EMMA)
        equal(_refusal(machine, _EMMA, "123456789012"), None, "the right PIN after wrong ones that are forgotten")


def _check_use(machine: _Machine, equal: Callable) -> None:
    """Use counts for each child while nobody is there, and for the one who is there after that."""
    first = machine.start(_MATHS)
    machine.use(_CHESS, 5)
    told = [(record.child, record.category, record.milli_points_per_minute) for record in machine.records()]
    equal(told, [(_BEN, 2, 0), (_EMMA, 2, 0)], "the records of a reward that is used together")
    equal([machine.household.entries(child) for child in (_BEN, _EMMA)], [[], []], "what it costs")
    told = {child: sum(stretch.length for stretch in machine.household.stretches(child)) for child in (_BEN, _EMMA)}
    equal(told, {_BEN: 300_000, _EMMA: 300_000}, "for whom it counts")
    whose, verdict = machine.decide(_CHESS)
    told = whose, verdict.allowed, verdict.reason, verdict.until
    equal(told, (_BEN, False, "unnamed", None), "a reward that costs points")
    machine.set(registers.CHILD, _EMMA, "lock", "on")
    whose, verdict = machine.decide(_MATHS)
    equal((whose, verdict.reason), (_EMMA, "lock"), "the stricter rule")
    machine.set(registers.CHILD, _EMMA, "lock", None)

    with mock.patch.object(machine.account, "_changes"):  # so that the next naming need not wait
        machine.name(_EMMA, "123456789012")
        records = machine.records()
        wanted = [(_BEN, record_id(first, _BEN, True)), (_EMMA, record_id(first, _EMMA, False))]
        equal([(record.child, record.record_id) for record in records], wanted, "records when a child is named")
        equal({record.category for record in records}, {3}, "learning that is used together")
        machine.stop(_MATHS)
        (record,) = machine.records()
        equal((record.child, record.category), (_EMMA, 1), "the record of the child who is there")
        machine.leave()
