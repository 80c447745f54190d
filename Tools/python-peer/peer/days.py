"""The family's days: where they begin, and when clocks show a time.

Spec: Protocol/11-rules.md section 3
"""

from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _milliseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _shown(zone: ZoneInfo, at: int) -> datetime:
    """Return the local time that clocks show, without a zone."""
    return (_EPOCH + timedelta(milliseconds=at)).astimezone(zone).replace(tzinfo=None)


class Days:
    """The days of a family with a zone and a first hour; instants are Unix milliseconds."""

    def __init__(self, zone: str, hour: int):
        self.name = f"{zone} {hour}"
        self._zone, self._hour = ZoneInfo(zone), hour
        self.instant = lru_cache(maxsize=None)(self._instant)

    def _instant(self, on: date, minute: int) -> int:
        """Return the first instant at which clocks show that date and minute of the day, or a later
        time.
        """
        wanted = datetime.combine(on, time()) + timedelta(minutes=minute)
        at = _milliseconds(wanted.replace(tzinfo=self._zone, fold=0).astimezone(timezone.utc))
        if _shown(self._zone, at) == wanted:
            return at
        before, after = at - 2 * 86_400_000, at  # the clocks skip it: find the change
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (before, middle) if _shown(self._zone, middle) >= wanted else (middle, after)
        return after

    def start(self, day: date) -> int:
        """Return the instant at which a family day begins."""
        return self.instant(day, 60 * self._hour)

    def end(self, day: date) -> int:
        """Return the instant at which a family day ends."""
        return self.start(day + _DAY)

    def day(self, at: int) -> date:
        """Return the family day of an instant."""
        found = _shown(self._zone, at).date()
        while self.start(found) > at:
            found -= _DAY
        while self.end(found) <= at:
            found += _DAY
        return found

    def window(self, on: date, start: int, end: int) -> tuple[int, int]:
        """Return the instants of a window of a date.

        It ends on the next date unless its end is the later time.
        """
        return self.instant(on, start), self.instant(on if end > start else on + _DAY, end)

    def windows(self, plan: list, excepted: dict, around: date) -> list[tuple[int, int]]:
        """Return the windows of a schedule near a family day, the earliest first; windows that
        touch are joined.

        `plan` has the windows of each weekday, `excepted` those of single family days.
        """
        found, left_out = [], [(self.start(day), self.end(day)) for day in excepted]
        for on in _near(around, 3) if plan else ():
            for start, end in plan[on.weekday()]:
                window = self.window(on, start, end)
                if not any(begin <= window[0] < finish for begin, finish in left_out):
                    found.append(window)
        for on in _near(around, 2):
            for start, end in excepted.get(on, ()):
                found.append(self.window(on + _DAY if start < 60 * self._hour else on, start, end))
        return joined(found)


def _near(day: date, after: int) -> list[date]:
    return [day + i * _DAY for i in range(-2, after + 1)]


def joined(windows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the windows with those that touch joined and empty ones left out."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(window for window in windows if window[0] < window[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found
