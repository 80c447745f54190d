"""The accounting of records of use."""
import re
from collections import Counter, defaultdict
from collections.abc import Callable

from api import REFUSED, UNKNOWN, UNREACHABLE
from ledger import Ledger, Session, Setback
from observation import ChildSeen, Observation, Record, record_of

Faults = Callable[..., None]
# Milliseconds by which a start may be wrong, which the kernel counts in hundredths of a second, and
# within which the end of a program is detected.
_TICKS, _NOTICED = 20, 3_000
_LOSS_TOLD = re.compile(r"had no room")


class UseAccounts:
    """Compares each session with the records on the child and at the parent."""

    def __init__(self, ledger: Ledger, seen: Observation, fault: Faults) -> None:
        self._ledger = ledger
        self._seen = seen
        self._fault = fault
        self.states: Counter[str] = Counter()

    def account(self) -> None:
        """Accounts for every session, and for every record."""
        owners: dict[str, Session] = {}
        for entry in self._ledger.sessions:
            if entry.record_id is None:
                continue
            if (owner := owners.setdefault(entry.record_id, entry)) is not entry:
                self._fault("a record ID was given to two sessions", f"{owner.title} and {entry.title}",
                            [*owner.history, "---", *entry.history])
        for child, there in self._seen.children.items():
            books = [s for s in self._ledger.sessions if s.child == child]
            by_app = {place: _by_app(records) for place, records in
                      (("child", there.records), ("parent", there.at_parent))}
            for entry in books:
                here, far = by_app["child"].get(entry.app, []), by_app["parent"].get(entry.app, [])
                if entry.is_shared:
                    here, far = ([r for r in records if r.id == entry.record_id] for records in (here, far))
                self._one(entry, here, far, there)
            self._strays(books, there)
            if not any(setback.child == child for setback in self._ledger.setbacks):
                self._sums(child, there)
            self._traces(child, there, {entry.app for entry in books})
        for record in self._seen.strangers:
            self._fault("the parent has a record of an unknown device", str(record))

    def _strays(self, books: list[Session], seen: ChildSeen) -> None:
        """Finds records in applications of several sessions that belong to no session, such as a
        refused one.
        """
        claimed = {entry.record_id for entry in self._ledger.sessions}
        nameless = [entry for entry in books if entry.is_shared and entry.record_id is None]
        for app in sorted({entry.app for entry in nameless}):
            strays = {record.id for record in [*seen.records, *seen.at_parent]
                      if record.app == app and record.sessions == 1 and record.id not in claimed}
            # A lost answer may have named one.
            unknown = sum(entry.app == app and entry.fate == UNKNOWN for entry in nameless)
            refused = [entry for entry in nameless if entry.app == app and entry.fate in (REFUSED, UNREACHABLE)]
            if len(strays) > unknown:
                self._fault("a session that was refused is there",
                            f"{'; '.join(entry.title for entry in refused)}: {sorted(strays)}",
                            [line for entry in refused for line in entry.history])

    def _one(self, entry: Session, here: list[Record], there: list[Record], seen: ChildSeen) -> None:
        """Accounts for one session.

        The records are those of its application, which no other session has.
        """
        def fault(what: str) -> None:
            self._fault(what, f"{entry.title}: the child has {here}; the parent has {there}; the answer to its end was "
                              f"{entry.end_record}", entry.history)

        if entry.fate in (REFUSED, UNREACHABLE):
            if here or there:
                fault(f"a session that was {entry.fate} is there")
            return None
        ids = {record.id for record in [*here, *there]}
        if len(ids) > 1:
            return fault("one session has two records")
        if entry.record_id is not None and ids - {entry.record_id}:
            return fault("a session has another record than was accepted")
        if len(here) > 1 or len(there) > 1:
            return fault("a record is there twice")
        if entry.fate == UNKNOWN and not ids:
            self.states["not accepted, the answer was lost"] += 1
            return None
        if any(record.sessions != 1 for record in [*here, *there]):
            return fault("a record stands for another number of sessions")
        return self._end(entry, here, there, seen, fault)

    def _end(self, entry: Session, here: list[Record], there: list[Record], seen: ChildSeen,
             fault: Callable[[str], None]) -> None:
        """Accounts for the record of one accepted session."""
        setback = self._setback(entry)
        may_differ = False
        if entry.on_copy:
            # The record is lost with the copy, unless the copy had delivered it.
            if here:
                return fault("a session of the copy is on the original")
            self.states["of the copy, delivered" if there else "of the copy, gone with it"] += 1
            needs_here, needs_there = False, bool(there)
        elif setback is not None and entry.app in setback.kept.open_sessions:
            # The session was open in the backup, and ends a second time.
            self.states["open in the backup"] += 1
            needs_here = needs_there = may_differ = True
        elif setback is not None:
            delivered = bool(ids_of(there)) or entry.record_id in setback.delivered
            self.states["after the backup, kept by the parent" if delivered else "after the backup, gone with it"] += 1
            needs_here, needs_there = False, entry.record_id in setback.delivered or bool(here)
        else:
            if here and there:
                self.states["at both"] += 1
            needs_here = needs_there = True
        if needs_here and not here:
            return fault("a session that was accepted has no record on its child")
        if needs_there and not there:
            if entry.is_shared and any(r.app == entry.app and r.sessions > 1 for r in seen.at_parent):
                self.states["in a total"] += 1
                return None
            if self._is_loss_told(entry.child, seen):
                self.states["told as lost"] += 1
                return None
            if here and here[0].id in ids_of(seen.at_parent):
                return fault("a record is not at the parent, which has its ID for another session")
            return fault("a record is not at the parent")
        if here and there and here[0] != there[0] and not may_differ:
            return fault("a record is another on the child than at the parent")
        if entry.end_record is not None and not may_differ:
            answered = record_of(entry.end_record)
            if any(record != answered for record in [*here, *there]):
                return fault("a record is another than was answered")
        if any(record.name != entry.name for record in [*here, *there]):
            return fault("a record has another name than was accepted")
        for record in [*here, *there]:
            if entry.began_after is not None and entry.began_before is not None and not (
                    entry.began_after - _TICKS <= record.start <= entry.began_before + _TICKS):
                return fault("a record begins at another time than its program")
            if entry.ran is not None and record.active > entry.ran + _NOTICED:
                return fault("a record is longer than its program ran")
        return None

    def _setback(self, entry: Session) -> Setback | None:
        """Returns the restoration that affects a session."""
        for setback in self._ledger.setbacks:
            if (setback.child == entry.child and setback.kind == "restored" and entry.at < setback.until
                    and entry.app not in setback.kept.recorded):
                return setback
        return None

    def _is_loss_told(self, child: str, seen: ChildSeen) -> bool:
        return seen.losses[0] > 0 and any(child in w and _LOSS_TOLD.search(w) for w in self._seen.parent_warnings)

    def _sums(self, child: str, there: ChildSeen) -> None:
        """Checks that the records, totals and losses at the parent stand for everything that a
        child has recorded.
        """
        here = _sum(there.records)
        told = tuple(kept + lost for kept, lost in zip(_sum(there.at_parent), there.losses))
        # Dropped records may have been delivered as well.
        if told != here and (there.losses[0] == 0 or any(a < b for a, b in zip(told, here))):
            self._fault("the sums of use are others at the parent", f"{child}: sessions, milliseconds and milli-points are "
                        f"{here} on the child and {told} at the parent, of which {there.losses} are told as lost")

    def _traces(self, child: str, there: ChildSeen, apps: set[str]) -> None:
        """Finds records without a session, sessions that stay open, and lists that differ from the
        databases.
        """
        for place, records in (("a child", there.records), ("the parent", there.at_parent)):
            for record in records:
                if record.app not in apps:
                    self._fault(f"{place} has a record that nobody made", f"{child}: {record}")
            for id_, times in Counter(record.id for record in records).items():
                if times > 1:
                    self._fault(f"{place} has several records with one ID", f"{child}: {id_}")
        for app in there.open_sessions:
            self._fault("a session is still open", f"{app} on {child}")
        if there.waiting:
            self._fault("a child still has items to deliver", f"items of the kinds {there.waiting} on {child}")
        for place, records, listed in (("a child", there.records, there.listed),
                                       ("the parent", there.at_parent, there.listed_at_parent)):
            if Counter(map(str, records)) != Counter(map(str, listed)):
                self._fault(f"what {place} lists is not what its database has",
                            f"{child}: {len(records)} records, {len(listed)} listed")


def ids_of(records: list[Record]) -> set[str]:
    """Returns the IDs of some records."""
    return {record.id for record in records}


def _sum(records: list[Record]) -> tuple[int, int, int]:
    """Returns sessions, milliseconds of use and milli-points of some records."""
    return (sum(r.sessions for r in records), sum(r.active for r in records), sum(r.earned for r in records))


def _by_app(records: list[Record]) -> dict[str, list[Record]]:
    result: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        result[record.app].append(record)
    return result
