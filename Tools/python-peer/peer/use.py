"""The use of a child: the union of stretches over accounts and machines.

Spec: Protocol/11-rules.md section 8
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from .days import Days, joined
from .values import CATEGORIES, SCREEN_TIME, app_id

LONGEST = 31 * 86_400_000


@dataclass(frozen=True)
class Stretch:
    """One session's use, in household time."""

    start: int
    length: int
    app: str
    category: str

    @property
    def end(self) -> int:
        return self.start + min(self.length, LONGEST)


def of_record(record) -> Stretch:
    """Return the stretch of a usage record."""
    start = record.household_start if record.HasField("household_start") else record.session_start
    return Stretch(start, record.active_milliseconds, record.app_id, CATEGORIES[record.category - 1])


def union(spans: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of spans."""
    total, reached = 0, None
    for start, end in sorted(spans):
        start = start if reached is None else max(start, reached)
        if end > start:
            total, reached = total + end - start, end
    return total


def presence(
    stretches: Iterable[Stretch], days: Days, of_programs: bool, learning_is_free: bool
) -> list[tuple[int, int]]:
    """Return the times from which breaks follow, the earliest first."""
    found = [(day, start, end, stretch) for stretch in stretches for day, start, end in parts(stretch, days)]
    measured = {day for day, _, _, stretch in found if stretch.app == SCREEN_TIME}

    def counts(day: date, stretch: Stretch) -> bool:
        if stretch.app == SCREEN_TIME or stretch.category == "reward":
            return True
        return (of_programs or day not in measured) and not (learning_is_free and stretch.category == "learning")

    return joined((start, end) for day, start, end, stretch in found if counts(day, stretch))


def by_day(
    stretches: Iterable[Stretch], days: Days, learning_is_free: bool = False, groups: dict[str, list[str]] | None = None,
    within: dict | None = None,
) -> dict[date, dict]:
    """Return the use of each family day: screen time, and that of each category, application and group.

    `within` has the hours of each limit that has some, by its key: a function of the day.
    """
    found: dict[date, list[tuple[int, int, Stretch]]] = {}
    for stretch in stretches:
        for day, start, end in parts(stretch, days):
            found.setdefault(day, []).append((start, end, stretch))
    groups, within = groups or {}, within or {}
    return {day: {**_sums(spans, learning_is_free, groups), **_within(spans, groups, within, day, days)}
            for day, spans in found.items()}  # fmt: skip


def parts(stretch: Stretch, days: Days) -> Iterator[tuple[date, int, int]]:
    """Yield the parts into which the edges of days divide a stretch."""
    day, start = days.day(stretch.start), stretch.start
    while start < stretch.end:
        end = min(stretch.end, days.end(day))
        yield day, start, end
        day, start = day + timedelta(1), end


def _within(found: list, groups: dict[str, list[str]], within: dict, day: date, days: Days) -> dict:
    """Return the use of a day within the hours of limits; all of it if the day's limit has none."""
    sums: dict[str, dict] = {"appsWithin": {}, "groupsWithin": {}}
    for key, hours in within.items():
        place, name = key.split("/")[0], app_id(key.split("/")[1])
        apps = [name] if place == "app" else groups.get(name, [])
        windows = None if hours(day) is None else days.windows(hours(day), {}, day)
        used = [(start, end) for start, end, stretch in found if stretch.app in apps]
        if windows is not None:
            used = [(max(start, first), min(end, last)) for start, end in used for first, last in windows]
        sums[f"{place}sWithin"][name] = union((start, end) for start, end in used if start < end)
    return sums


def _sums(found: list[tuple[int, int, Stretch]], learning_is_free: bool, groups: dict[str, list[str]]) -> dict:
    def of(holds) -> int:
        return union((start, end) for start, end, stretch in found if holds(stretch))

    # The time at a machine belongs to no application and no category.
    programs = [part for part in found if part[2].app != SCREEN_TIME]
    apps = {part[2].app for part in programs}
    return {
        "screen": of(lambda stretch: not (learning_is_free and stretch.category == "learning")),
        "categories": {word: of(lambda stretch, word=word: stretch.category == word and stretch.app != SCREEN_TIME)
                       for word in CATEGORIES},
        "groups": {name: of(lambda stretch, apps=apps: stretch.app in apps) for name, apps in groups.items()},
        "apps": {app: of(lambda stretch, app=app: stretch.app == app) for app in apps},
    }
