"""The vectors of facts, ledgers, rules and registers, and properties of what accumulates."""

import random
from collections.abc import Callable
from datetime import date

from . import decision, facts, ledger, registers, repeats, use, values
from .days import Days
from .rules import Rules


def check_facts(vectors: dict, equal: Callable) -> None:
    """Read and merge every text of facts.json."""
    for vector in vectors["facts"]:
        fact = facts.read(vector["kind"], vector["text"])
        told = fact.identity, fact.author.hex(), str(fact.day or "1900-01-01")
        equal(told, (vector["identity"], vector["author"], vector["day"]), vector["text"])
        if vector["kind"] == "ledger":
            equal(ledger.read(vector["text"]).text, vector["text"], "a ledger's entry")
    for vector in vectors["refused"]:
        try:
            facts.read(vector["kind"], vector["text"])
            refused = False
        except ValueError:
            refused = True
        equal(refused, True, f"{vector['kind']}: {vector['why']}")
    for vector in vectors["merges"]:
        texts = [facts.read(vector["kind"], text) for text in vector["texts"]]
        for order in _orders(texts):
            held = order[0]
            for fact in order[1:]:
                held = facts.kept(held, fact)
            equal(held.text, vector["kept"], f"kept of two of {vector['kind']}")


def _orders(things: list) -> list[list]:
    return [random.sample(things, len(things)) for _ in range(6)] + [things, things[::-1]]


def check_ledgers(vectors: dict, equal: Callable) -> None:
    """Merge the entries of each ledger in several orders and with repetitions."""
    for vector in vectors["ledger"]:
        for order in _orders(vector["entries"]):
            held = ledger.held(order + order[:3])
            equal(sorted(entry.text for entry in held.values()), sorted(vector["held"]), "entries that are kept")
            equal(ledger.balance(held.values()), vector["balance"], "balance")
            purses = {device.hex(): sum_ for device, sum_ in ledger.purses(held.values()).items() if sum_}
            equal(purses, {device: sum_ for device, sum_ in vector["purses"].items() if sum_}, "purses")
            owed = {f"{entry.source.hex()} {entry.purse.hex()}": list(told)
                    for entry, told in repeats.owed(held.values()).items()}  # fmt: skip
            equal(owed, vector["repeats"], "learning that was earned before")


def check_values(vectors: dict, equal: Callable) -> None:
    """Write typed values in their one form, and accept only that form."""
    for vector in vectors["values"]:
        try:
            stored = values.typed(vector["key"], vector["typed"])
        except (ValueError, IndexError):
            stored = None
        equal(stored, vector["stored"], f"{vector['key']}: {vector['typed']!r}")
        if stored is not None:
            zones, _ = values.rule(vector["key"])
            equal(values.is_in_force(zones[0], vector["key"], stored), True, f"{vector['key']}: {stored!r}")
            equal(values.typed(vector["key"], stored), stored, f"{vector['key']}: {stored!r}")


def check_use(vectors: dict, equal: Callable) -> None:
    """Add up the use of stretches by day, and find the times from which breaks follow."""
    for number, vector in enumerate(vectors["use"]):
        days, free = Days(vector["zone"], vector["dayStart"]), vector["learningIsFree"]
        stretches = [use.Stretch(one["start"], one["milliseconds"], one["app"], one["category"])
                     for one in vector["stretches"]]  # fmt: skip
        for day, spent in use.by_day(stretches, days, free, vector["groups"]).items():
            wanted = vector["days"][day.isoformat()]
            equal({key: spent[key] for key in ("screen", "categories", "groups", "apps")},
                  {key: wanted[key] for key in ("screen", "categories", "groups", "apps")}, f"use {number} on {day}")  # fmt: skip
        present = use.presence(stretches, days, False, free)
        equal([list(span) for span in present], vector["presence"], f"presence {number}")


def check_decisions(vectors: dict, equal: Callable) -> None:
    """Decide about every program of each decision; times there are by the boot clock."""
    for number, vector in enumerate(vectors["decisions"]):
        rules = Rules((entry["zone"], entry["key"], entry["value"]) for entry in vector["registers"])
        spent_on = {date.fromisoformat(day): spent for day, spent in vector["use"].items()}
        redeemed = [(left, date.fromisoformat(last)) for left, last in vector["redeemed"]]
        state = decision.State(
            vector["time"], date.fromisoformat(vector["day"]), spent_on, vector["spendable"], redeemed, vector["running"],
            [(start, end) for start, end in vector["presence"]],
        )
        for app in vector["apps"]:
            verdict, ahead = decision.decide(rules, state, app), vector["boot"] - vector["time"]
            told = {
                "allowed": verdict.allowed,
                "reason": verdict.reason,
                "until": None if verdict.until is None else verdict.until + ahead,
                "warnings": [at + ahead for at in verdict.warnings],
            }
            equal(told, vector["verdicts"][app], f"decision {number} about {app}")


def _register(entry: dict, zone: int = registers.FAMILY):
    at = entry.get("modified", entry)
    zone, zone_id = entry.get("zone", zone), bytes.fromhex(entry.get("zoneID", ""))
    time = at["wall"], at["counter"], bytes.fromhex(at["author"])
    return registers.make(zone, zone_id, entry["key"], entry["value"], time)


def _held(entries) -> dict:
    held: dict = {}
    for register in entries:
        place = registers.place(register)
        held[place] = registers.merged(held[place], register) if place in held else register
    return held


def check_merges(vectors: list, equal: Callable) -> None:
    """Merge edits in the order of each vector and in several others."""
    for vector in vectors:
        wanted = _held(map(_register, vector["held"]))
        for order in _orders(vector["edits"]):
            equal(_held(map(_register, order + order[:2])), wanted, "merge of registers")


def check_edits(vectors: dict, equal: Callable) -> None:
    """Execute each edit as a child's machine does."""
    words = {registers.EXECUTED: "executed", registers.SUPERSEDED: "superseded"}
    for number, vector in enumerate(vectors["edits"]):
        held = _held(map(_register, vector["before"]))
        wanted = list(map(_register, vector["edit"]))
        try:
            outcome, state, after = registers.edit(
                held, bytes.fromhex(vectors["machine"]), bytes.fromhex(vector["author"]), wanted
            )
            told = words[outcome], state, after
        except ValueError:
            told = "failed", None, held
        state = vector["state"] and list(map(_register, vector["state"]))
        equal(told, (vector["outcome"], state, _held(map(_register, vector["after"]))), f"edit {number}")
