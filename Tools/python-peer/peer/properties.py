"""Properties of all registers, facts, ledgers and uses, tested with random ones.

Spec: Protocol/10-household.md section 2, Protocol/11-rules.md sections 6 and 8,
Protocol/12-facts.md section 1
"""

import itertools
from collections.abc import Callable
from datetime import date
from random import Random

from . import facts, ledger, registers, repeats, use
from .days import Days

_DEVICES = [bytes([i]) * 20 for i in (1, 2, 3)]
_DAY = date(2026, 11, 23)


def check_all(random: Random, equal: Callable) -> None:
    """Test every property with `random`."""
    for _ in range(40):
        _merge(random, equal)
        _points(random, equal)
        _learning(random, equal)
        _answers(random, equal)
        _use(random, equal)


def _merge(random: Random, equal: Callable) -> None:
    """Edits merge to the same result in every order, repeated and in any groups."""
    edits = [
        registers.make(1, b"", "mode", random.choice([None, "points", "limits"]),
                       (random.randrange(2), random.randrange(2), random.choice(_DEVICES)))
        for _ in range(4)
    ]  # fmt: skip
    outcomes = set()
    for order in itertools.permutations(edits):
        held = order[0]
        for edit in order[1:]:
            held = registers.merged(held, edit)
        grouped = registers.merged(registers.merged(order[0], order[1]), registers.merged(order[2], order[3]))
        again = registers.merged(held, random.choice(order))
        outcomes |= {held.SerializeToString(), grouped.SerializeToString(), again.SerializeToString()}
    equal(len(outcomes), 1, "merge of registers in every order")


def _points(random: Random, equal: Callable) -> None:
    """Machines that write only what their purse holds never spend more than there is, however late
    they meet.
    """
    known: dict[bytes, dict[str, ledger.Entry]] = {device: {} for device in _DEVICES}
    given = spent = 0
    for number in range(60):
        device, other = random.sample(_DEVICES, 2)
        if random.random() < 0.4:  # the two meet
            both = ledger.held(entry.text for side in (device, other) for entry in known[side].values())
            known[device], known[other] = dict(both), dict(both)
            continue
        purse = ledger.purses(known[device].values()).get(device, 0)
        kind = random.choice(("granted", "spent", "leased"))
        amount = random.randrange(1, 1_000) if kind == "granted" else -random.randrange(purse + 1)
        entry = ledger.Entry(kind, bytes([number]) * 16, device, amount, _DAY, 0, other if kind == "leased" else None)
        known[device][entry.identity] = entry
        given, spent = given + max(0, amount), spent + (-amount if kind == "spent" else 0)
        equal(ledger.purses(known[device].values())[device] >= 0, True, "a purse below nothing")
    texts = [entry.text for side in known.values() for entry in side.values()]
    results = set()
    for _ in range(5):
        held = ledger.held(random.sample(texts, len(texts)))
        purses = ledger.purses(held.values())
        equal(sum(purses.values()), ledger.balance(held.values()), "balance = sum of the purses")
        results.add((ledger.balance(held.values()), tuple(sorted(purses.items()))))
    equal(len(results), 1, "a ledger in every order")
    equal(results.pop()[0], given - spent, "balance = given less spent")


def _learning(random: Random, equal: Callable) -> None:
    """Learning on several machines earns each instant once, although they meet late, lend and
    spend.
    """
    known: dict[bytes, dict[str, ledger.Entry]] = {device: {} for device in _DEVICES}
    reached, lessons, spent, rate = dict.fromkeys(_DEVICES, 0), [], 0, random.randrange(1, 9)

    def write(device: bytes, entry: ledger.Entry) -> None:
        known[device][entry.identity] = entry
        for again in list(repeats.due(known[device].values(), device, number)):
            known[device][again.identity] = again
        equal(ledger.purses(known[device].values())[device] >= 0, True, "a purse below nothing")

    for number in range(40):
        device, other = random.sample(_DEVICES, 2)
        what, id_ = random.choice(("meet", "earned", "earned", "spent", "leased")), bytes([number]) * 16
        purse = max(0, ledger.purses(known[device].values()).get(device, 0))
        if what == "meet":
            both = ledger.held(entry.text for side in (device, other) for entry in known[side].values())
            known[device], known[other] = dict(both), dict(both)
        elif what == "earned":
            at, length = reached[device] + random.randrange(50), random.randrange(1, 200)
            reached[device] = at + length
            lessons.append((at, at + length))
            write(device, ledger.Entry("earned", id_, device, rate * length, _DAY, at, quantity=length))
        else:
            amount = random.randrange(purse + 1)
            spent += amount if what == "spent" else 0
            to = other if what == "leased" else None
            write(device, ledger.Entry(what, id_, device, -amount, _DAY, number, to))
    # All have received everything, and each gets enough points to give back what it owes.
    held = ledger.held(entry.text for side in known.values() for entry in side.values())
    for device in _DEVICES:
        known[device] = dict(held)
        write(device, ledger.Entry("granted", bytes([99]) * 16, device, 10**6, _DAY, number))
    held = ledger.held(entry.text for side in known.values() for entry in side.values())
    wanted = 3 * 10**6 + rate * use.union(lessons) - spent
    equal(ledger.balance(held.values()), wanted, "balance = each instant of learning once, less what was spent")
    taken = {entry.source: -entry.amount for entry in held.values() if entry.kind == "repeated"}
    owed = {entry.source: debt for entry, (_, debt) in repeats.owed(held.values()).items() if debt}
    equal(taken, owed, "what was given back = what is owed")


def _answers(random: Random, equal: Callable) -> None:
    """All machines keep the same one of several facts with one identity."""
    parent = _DEVICES[0].hex()
    for kind in ("answer", "need"):
        texts = []
        for _ in range(4):
            at = f"{random.randrange(3)} {random.randrange(2)}"
            verdict = random.choice(("yes", "no"))
            answer = f"{'1' * 32} {_DAY} {at} {parent}\n{verdict}\n"
            texts.append(answer if kind == "answer" else f"{parent} {at} {verdict}")
        kept = set()
        for order in itertools.permutations(facts.read(kind, text) for text in texts):
            held = order[0]
            for fact in order[1:]:
                held = facts.kept(held, fact)
            kept.add(held.text)
        equal(len(kept), 1, f"{kind} in every order")


def _use(random: Random, equal: Callable) -> None:
    """Adding a stretch again, in parts or in another order changes nothing."""
    days, start = Days("Europe/Berlin", random.randrange(24)), 1_793_000_000_000
    found = [
        use.Stretch(start + random.randrange(10**8), random.randrange(10**7), random.choice("ab"),
                    random.choice(("learning", "reward")))
        for _ in range(8)
    ]  # fmt: skip
    wanted = use.by_day(found, days)
    one = random.choice(found)
    cut = random.randrange(one.length + 1)
    parts = [use.Stretch(one.start, cut, one.app, one.category),
             use.Stretch(one.start + cut, one.length - cut, one.app, one.category)]  # fmt: skip
    again = [*(stretch for stretch in found if stretch != one), *parts, *random.sample(found, 3)]
    random.shuffle(again)
    equal(use.by_day(again, days), wanted, "use that is added again, in parts and in another order")
    total = sum(day["screen"] for day in wanted.values())
    equal(total, use.union((stretch.start, stretch.end) for stretch in found), "use of the days together")
