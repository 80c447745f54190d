"""Learning on two machines at once, which earns once, and what a machine gives back.

Spec: Protocol/11-rules.md section 6, "A span of learning earns once"
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from . import ledger, use
from .ledger import Entry


def _span(entry: Entry) -> tuple[int, int]:
    return entry.at, entry.at + min(entry.quantity, use.LONGEST)


def owed(entries: Iterable[Entry]) -> dict[Entry, tuple[int, int]]:
    """Return the learning that overlaps with earlier learning elsewhere: for how long, and what is
    owed for it.
    """
    found: dict[Entry, tuple[int, int]] = {}
    lessons = sorted((entry for entry in entries if entry.kind == "earned"), key=_order)
    for entry in lessons:
        start, end = _span(entry)
        earlier = itertools.takewhile(lambda other, entry=entry: _order(other) < _order(entry), lessons)
        spans = [_span(other) for other in earlier if other.purse != entry.purse]
        cut = [(max(start, first), min(end, last)) for first, last in spans if first < end and last > start]
        if shared := use.union(cut):
            found[entry] = shared, -(-entry.amount * shared // (end - start))
    return found


def _order(entry: Entry) -> tuple[int, bytes]:
    return entry.at, entry.source


def owes(entries: Iterable[Entry], device: bytes) -> bool:
    """Return whether a machine still owes what it earned while another one did."""
    entries = list(entries)
    taken = {entry.source: -entry.amount for entry in entries
             if (entry.kind, entry.purse) == ("repeated", device)}  # fmt: skip
    return any(taken.get(entry.source, 0) < debt for entry, (_, debt) in owed(entries).items() if entry.purse == device)


def due(entries: Iterable[Entry], device: bytes, at: int) -> Iterator[Entry]:
    """Yield the entries with which a machine gives back what it owes, as far as its purse allows.
    """
    entries = list(entries)
    taken = {entry.source: -entry.amount for entry in entries
             if (entry.kind, entry.purse) == ("repeated", device)}  # fmt: skip
    purse = ledger.purses(entries).get(device, 0)
    for entry, (shared, debt) in sorted(owed(entries).items(), key=lambda found: found[0].source):
        before = taken.get(entry.source, 0)
        more = min(debt - before, purse)
        if entry.purse == device and more > 0:
            purse -= more
            yield replace(entry, kind="repeated", amount=-before - more, at=at, quantity=shared, note="")
