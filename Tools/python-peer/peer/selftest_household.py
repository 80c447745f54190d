"""Checks of what a machine deletes and stores again, and of the edges of learning that earns once.
"""

import contextlib
import os
import re
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from . import defaults, inventory, ledger, phrases, registers, repeats, schema
from .faults import Refused
from .household import CONTROL, FACTS, Household
from .identity import CHILD, PARENT
from .parent import Parent
from .rules import Rules
from .store import Store

_EMMA, _OTHER, _TIME = b"\1" * 16, b"\2" * 20, (1, 0, b"\2" * 20)


def check_lessons(equal: Callable) -> None:
    """Compare learning that began at the same time, has the same ID, came to 0, or lasts more than
    31 days.
    """
    day, month = date(2026, 11, 23), 31 * 86_400_000
    first = ledger.Entry("earned", b"\1" * 16, b"\1" * 20, 1_000, day, 50, quantity=100)
    second = replace(first, source=b"\2" * 16, purse=_OTHER)
    early, late, long = replace(first, at=0), replace(second, at=month - 1), 2 * month
    rich = replace(second, quantity=long, amount=10**15)
    for one, other, wanted in (
        (first, second, {second: (100, 1_000)}),
        (first, replace(second, source=first.source), {}),
        (first, replace(second, purse=first.purse), {}),
        (first, replace(second, at=150), {}),
        (replace(first, amount=0), second, {second: (100, 1_000)}),
        (replace(early, quantity=long), late, {late: (1, 10)}),
        (early, rich, {rich: (50, -(-(10**15) * 50 // month))}),
    ):
        for entries in ([one, other], [other, one]):
            equal(repeats.owed(entries), wanted, "learning on two machines at once")


def check_defaults(page: str, equal: Callable) -> None:
    """Compare the defaults with the table of the page."""
    table = dict(re.findall(r"^\| \d+ \| `([^`]+)` \| .* \| (\w+) \|$", page, re.MULTILINE))
    equal(defaults.CATEGORIES, table, "well-known applications")
    for app, word in table.items():
        equal(Rules([]).category(app)[0], word, app)
        equal(Rules([("child", f"app/{app}/enabled", "no")]).category(app)[0], "neutral", f"{app}, not enabled")
        equal(Rules([("family", f"app/{app}/category", "neutral")]).category(app), ("neutral", 0), f"{app}, neutral")


def check_lists(lists: list[dict], equal: Callable) -> None:
    """Read the lists of the vectors, refuse the malformed ones, and replace all parts of a list by
    a later one.
    """
    with tempfile.TemporaryDirectory() as folder:
        parent = Parent(Store(Path(folder), "Kitchen laptop", PARENT))
        for vector in lists:
            held, told = None, bytes.fromhex(vector["body"])
            with contextlib.suppress(Refused):
                (event,) = parent._take_list(told[2:22] if told.startswith(b"\n\x14") else _OTHER, told)
                held = event["entries"]
            equal(held, vector["entries"], f"a list of {vector['kind']}")
        for number, parts, ids in ((1, 2, "ab"), (2, 1, "c")):
            for part, id_ in enumerate(ids):
                told = schema.Inventory(kind="installed", number=number, part=part, parts=parts, entries=[f"{id_}\nA\n\n"])
                parent._take_list(_OTHER, told.SerializeToString())
            found = [lines[0] for lines in inventory.entries(parent.store, "installed", _OTHER)[_OTHER]]
            equal(found, list(ids), "installed applications")
        parent.store.close()


def check_phrases(receipts: list, equal: Callable) -> None:
    """Read every receipt of phrases.json."""
    for given in receipts:
        receipt = schema.parse(schema.Receipt, bytes.fromhex(given["body"]))
        equal((receipt.reason, phrases.read(receipt)), (given["reason"], given["phrase"]), "a reason's phrase")


def check_forgetting(equal: Callable) -> None:
    """Delete the data of days long past, and store again what is still queued for others."""
    with tempfile.TemporaryDirectory() as folder:
        _child(Household(Store(Path(folder), "Emma's PC", CHILD)), equal)
    with tempfile.TemporaryDirectory() as folder:
        _parent(Parent(Store(Path(folder), "Kitchen laptop", PARENT)), equal)


def _registers(zone: int, id_: bytes, today: date, days: tuple[int, ...]) -> list:
    keys = [f"today/{today - timedelta(back)}/bedtime" for back in days] + ["today/never/bedtime", "lock"]
    return [registers.make(zone, id_, key, "none", _TIME) for key in keys]


def _child(household: Household, equal: Callable) -> None:
    store, day = household.store, household.day()
    household.day = lambda: day  # it does not pass meanwhile
    key = f"child/{uuid.UUID(bytes=_EMMA)}"
    serves = registers.make(registers.MACHINE, household.own, key, "yes", _TIME)
    held = [serves, *_registers(registers.CHILD, _EMMA, day, (0, 14, 15, 40))]
    household.replace({registers.place(register): register for register in held})
    with store.transaction():
        household.begin_day()
    kept = [serves, *_registers(registers.CHILD, _EMMA, day, (0, 14))]
    equal(set(household.registers()), set(map(registers.place, kept)), "registers of days long past")

    with store.transaction():
        store.run("insert into holder values(?,?)", _OTHER, _EMMA)
        given = household.write(_EMMA, "granted", os.urandom(16), 5_000)
        household.forget_child(_EMMA)
        equal(household.balance(_EMMA), 0, "the balance of a child who was forgotten")
        household.remember(_EMMA)
        theirs = ledger.Entry("leased", b"\3" * 16, _OTHER, -7, day, 0, household.own)
        household.make(_EMMA, "ledger", theirs.text)
        equal(household.entries(_EMMA), [given, theirs], "facts that still waited")
        household.begin(_OTHER, _EMMA)
        (body,) = store.all("select body from item where class=? and kind=? order by number", CONTROL, FACTS)[-1]
        sent = [fact.text for fact in schema.Facts.FromString(body).facts]
        equal(sent, [theirs.text, given.text], "what the receiver made goes first")
    store.close()


def _parent(parent: Parent, equal: Callable) -> None:
    store, today = parent.store, datetime.now(UTC).date()
    told = schema.Registers(registers=_registers(registers.CHILD, _EMMA, today, (0, 11, 13, 40)))
    with store.transaction():
        parent._take_registers(_OTHER, told.SerializeToString())
    kept = {row[0] for row in store.all("select key from told")}
    wanted = {register.key for register in _registers(registers.CHILD, _EMMA, today, (0, 11))}
    equal(kept, wanted, "registers that one of two machines may have forgotten")
    store.close()
