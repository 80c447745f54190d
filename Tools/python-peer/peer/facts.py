"""Facts: texts that never change and accumulate.

Spec: Protocol/12-facts.md
"""

from dataclasses import dataclass
from datetime import date

from . import ledger, values
from .texts import LONGEST_LINE, LONGEST_PARAGRAPHS, day, digits, is_line, is_paragraphs, is_word, number, require

MOST = {"ledger": 65_536, "request": 1_024, "answer": 4_096, "need": 256, "machines": 256}
AUTHORED_BY_PARENT = {"answer", "machines"}
AUTHORED_BY_CHILD = {"request", "need"}
_COUNTER, _TIME = 2**32 - 1, 2**48 - 1


@dataclass(frozen=True)
class Fact:
    """A fact with the values in its text."""

    kind: str
    text: str
    identity: str
    author: bytes
    day: date | None
    said: tuple  # the parts that the kind defines
    at: tuple = ()  # the hybrid time, if it decides which of two facts is kept

    @property
    def size(self) -> int:
        """The size of the fact in an item."""
        return len(self.kind.encode()) + len(self.text.encode()) + 32


def read(kind: str, text: str) -> Fact:
    """Read a fact.

    Raises ValueError for a text that its kind does not allow, KeyError for an unknown kind.
    """
    reader = _READERS[kind]
    require(is_paragraphs(text, 1, LONGEST_PARAGRAPHS), "no paragraphs")
    return reader(kind, text)


def kept(one: Fact, other: Fact) -> Fact:
    """Return which of two facts with one identity is kept."""
    if one.at != other.at:
        later = max(one, other, key=lambda fact: fact.at)
        earlier = min(one, other, key=lambda fact: fact.at)
        return earlier if one.kind == "answer" else later
    if one.kind == "ledger":
        return min(one, other, key=lambda fact: fact.said[0].order)
    return min(one, other, key=lambda fact: fact.text.encode())


def _ledger(kind: str, text: str) -> Fact:
    entry = ledger.read(text)
    return Fact(kind, text, entry.identity, entry.purse, entry.day, (entry,))


def _request(kind: str, text: str) -> Fact:
    head, wish, reason = _lines(text, 3)
    id_, day_, at, device = _fields(head, 4)
    word, _, what = wish.partition(" ")
    require(word in ("time", "app"), "no wish")
    values.grant(what) if word == "time" else require(is_word(what), "no application")
    require(is_line(reason, 0, LONGEST_LINE), "no reason")
    said = (digits(id_, 16), number(at, 0, _TIME), word, what, reason)
    return Fact(kind, text, id_, digits(device, 20), day(day_), said)


def _answer(kind: str, text: str) -> Fact:
    head, verdict, word = _lines(text, 3)
    id_, day_, wall, counter, device = _fields(head, 5)
    yes, space, minutes = verdict.partition(" ")
    require(yes == "yes" or (yes == "no" and not space), "no verdict")
    granted = number(minutes, 1, 1_440) if space else None
    require(is_line(word, 0, LONGEST_LINE), "no word")
    at = _hybrid(wall, counter, device)
    return Fact(kind, text, id_ + device, at[2], day(day_), (digits(id_, 16), yes == "yes", granted, word), at)


def _need(kind: str, text: str) -> Fact:
    device, wall, counter, word = _fields(text, 4)
    require(word in ("yes", "no"), "neither yes nor no")
    at = _hybrid(wall, counter, device)
    return Fact(kind, text, device, at[2], None, (word == "yes",), at)


def _machines(kind: str, text: str) -> Fact:
    device, wall, counter, *machines = text.split(" ")
    require(len(machines) <= 64 and machines == sorted(set(machines)), "not in ascending order")
    at = _hybrid(wall, counter, device)
    return Fact(kind, text, device, at[2], None, tuple(digits(machine, 20) for machine in machines), at)


def _hybrid(wall: str, counter: str, device: str) -> tuple[int, int, bytes]:
    return number(wall, 0, _TIME), number(counter, 0, _COUNTER), digits(device, 20)


def _lines(text: str, count: int) -> list[str]:
    lines = text.split("\n")
    require(len(lines) == count, "another number of lines")
    return lines


def _fields(text: str, count: int) -> list[str]:
    fields = text.split(" ")
    require(len(fields) == count, "another number of fields")
    return fields


_READERS = {"ledger": _ledger, "request": _request, "answer": _answer, "need": _need, "machines": _machines}
