"""The household's time, and hybrid timestamps.

Spec: Protocol/11-rules.md section 4, Protocol/06-messages.md section 1
"""

import time
from datetime import date

from .days import Days
from .frames import now
from .store import Store, boot

_DAY = 86_400_000
_COUNTER = 2**32 - 1


def wall() -> int:
    """Return Unix milliseconds by this machine's clock."""
    return int(time.time() * 1_000)


class Clock:
    """The clock of a machine; this peer believes no wall clock after its first reading in a boot.
    """

    def __init__(self, store: Store):
        self._store = store

    def read(self) -> tuple[int, int]:
        """Return the household's time and the day time."""
        with self._store.transaction():
            row = self._store.one("select boot, at, time, day_time, latest from clock")
            at, present = int(now() * 1_000), wall()
            if row is None:
                row = boot(), at, present, present, present
            elif row[0] != boot():
                reached = max(present, row[4] + at)
                row = boot(), at, reached, present, reached
            passed = at - row[1]
            told, day_time = row[2] + passed, row[3] + passed
            self._store.run("delete from clock")
            self._store.run("insert into clock values(?,?,?,?,?)", *row[:4], max(row[4], told))
            return told, day_time

    def time(self) -> int:
        """Return the household's time."""
        return self.read()[0]

    def day(self, days: Days) -> date:
        """Return the family's day, which does not go back."""
        reached = days.day(self.read()[1])
        with self._store.transaction():
            zone = days.name
            row = self._store.one("select day from reached where zone=?", zone)
            found = max(reached, date.fromisoformat(row[0])) if row else reached
            self._store.run("delete from reached")  # of another zone or hour: forgotten
            self._store.run("insert into reached values(?,?)", zone, found.isoformat())
        return found

    def stamp(self, after: tuple = ()) -> tuple[int, int, bytes]:
        """Return the next reading of the hybrid clock.

        It is later than `after`, even if the clock is behind.
        """
        with self._store.transaction():
            last, counter = self._store.one("select wall, counter from hybrid") or (0, 0)
            last, counter = max((last, counter), after[:2] or (0, 0))
            present = wall()
            if last < present:
                last, counter = present, 0
            elif counter < _COUNTER:
                counter += 1
            else:
                last, counter = last + 1, 0
            self._store.run("delete from hybrid")
            self._store.run("insert into hybrid values(?,?)", last, counter)
            return last, counter, self._store.keys.device

    def witness(self, at: tuple[int, int, bytes]) -> None:
        """Take another device's reading as our own last one, unless it is more than a day ahead."""
        with self._store.transaction():
            last = self._store.one("select wall, counter from hybrid") or (0, 0)
            if last < at[:2] and at[0] <= wall() + _DAY:
                self._store.run("delete from hybrid")
                self._store.run("insert into hybrid values(?,?)", *at[:2])
