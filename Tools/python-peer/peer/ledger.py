"""The entries of a child's ledger, the balance and the purses.

Spec: Protocol/11-rules.md section 6
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from .texts import LONGEST_LINE, day, digits, is_line, number, require

_MOST, _TIME = 10**15, 2**48 - 1
# The sign that the amount of a kind may have.
_GIVES = {"earned", "reviewed", "refunded", "granted"}
_TAKES = {"spent", "redeemed", "leased", "repeated"}
_MARKS = {"held", "used", "expired"}
KINDS = _GIVES | _TAKES | _MARKS | {"adjusted"}
_HOLDS = {"noActivity", "rewardBeside", "clockJump"}


@dataclass(frozen=True)
class Entry:
    """One entry, with the eleven fields of its text."""

    kind: str
    source: bytes
    purse: bytes
    amount: int
    day: date
    at: int
    other: bytes | None = None
    quantity: int = 0
    last_day: date | None = None
    hold: str | None = None
    note: str = ""

    @property
    def identity(self) -> str:
        return f"{self.kind} {self.source.hex()} {self.purse.hex()}"

    @property
    def order(self) -> tuple[int, bytes]:
        """The order that decides which of two entries with one identity is kept: the first in it.
        """
        return self.amount if self.kind == "repeated" else 0, self.text.encode()

    @property
    def text(self) -> str:
        other = self.other.hex() if self.other else "-"
        return " ".join(
            (self.identity, str(self.amount), self.day.isoformat(), str(self.at), other, str(self.quantity))
        ) + f" {self.last_day or '-'} {self.hold or '-'} {self.note}"


def read(text: str) -> Entry:
    """Read an entry in its one form; raise ValueError for anything else."""
    fields = text.split(" ", 10)
    require(len(fields) == 11, "another number of fields")
    kind, source, purse, amount, day_, at, other, quantity, last, hold, note = fields
    require(kind in KINDS, "an unknown kind")
    require((other != "-") == (kind == "leased") and other != purse, "no other device")
    require((last != "-") == (kind == "redeemed"), "no last day")
    require(hold in _HOLDS if kind == "held" else hold == "-", "no reason to hold")
    require(is_line(note, 0, LONGEST_LINE), "no note")
    return Entry(
        kind,
        digits(source, 16),
        digits(purse, 20),
        number(amount, 0 if kind in _GIVES | _MARKS else -_MOST, 0 if kind in _TAKES | _MARKS else _MOST),
        day(day_),
        number(at, 0, _TIME),
        digits(other, 20) if other != "-" else None,
        number(quantity, 0, _MOST),
        day(last) if last != "-" else None,
        hold if hold != "-" else None,
        note,
    )


def held(texts: Iterable[str]) -> dict[str, Entry]:
    """Return the entries that are kept of those that arrived, by identity."""
    entries: dict[str, Entry] = {}
    for entry in sorted(map(read, set(texts)), key=lambda entry: entry.order):
        entries.setdefault(entry.identity, entry)
    return entries


def balance(entries: Iterable[Entry]) -> int:
    """Return the child's points: the sum of all amounts except those of leases."""
    return sum(entry.amount for entry in entries if entry.kind != "leased")


def purses(entries: Iterable[Entry]) -> dict[bytes, int]:
    """Return the points that each device may spend."""
    sums: dict[bytes, int] = defaultdict(int)
    for entry in entries:
        sums[entry.purse] += entry.amount
        if entry.other is not None:
            sums[entry.other] -= entry.amount
    return dict(sums)


def redemptions(entries: Iterable[Entry], device: bytes) -> list[tuple[Entry, int]]:
    """Return the redemptions of a device and the milliseconds left of each, in their order of use.
    """
    own = [entry for entry in entries if entry.purse == device]
    gone: dict[bytes, int] = defaultdict(int)
    used: dict[date, int] = defaultdict(int)
    for entry in own:
        if entry.kind in ("refunded", "expired"):
            gone[entry.source] += entry.quantity
        elif entry.kind == "used":
            used[entry.day] += entry.quantity
    found = sorted((entry.last_day, entry.day, entry.source, entry) for entry in own if entry.kind == "redeemed")
    left = {entry: max(0, entry.quantity - gone[entry.source]) for *_, entry in found}
    for day_, wanted in sorted(used.items()):
        for entry in left:
            if entry.day <= day_ <= entry.last_day:
                taken = min(wanted, left[entry])
                left[entry] -= taken
                wanted -= taken
    return list(left.items())
