"""From registers to the rules of a child.

Spec: Protocol/11-rules.md section 2
"""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from . import defaults, use, values, weekly
from .days import Days
from .texts import day, days

_USUAL_RATE = 1_000


class Rules:
    """The rules of a child, from registers given as zone, key and value, in the order of their edits."""

    def __init__(self, registers: Iterable[tuple[str, str, str]]):
        held: dict[str, str] = {}
        self._limits: dict[str, list[int | None]] = {}
        self._hours: dict[str, list[weekly.Window | None]] = {}
        # The family's before the child's, and the limit of every day before those of weekdays.
        for zone, key, value in sorted(registers, key=lambda found: (found[0] == values.CHILD, found[1].count("/"))):
            if not values.is_in_force(zone, key, value):
                continue
            base, _, weekday = key.rpartition("/")
            if values.is_limit(key):
                minutes, hours = weekly.limit_within(value)
                self._limits[key], self._hours[key] = [minutes] * 7, [hours] * 7
            elif values.is_limit(base) and weekday in weekly.WEEKDAYS:
                on = weekly.WEEKDAYS.index(weekday)
                minutes, hours = weekly.limit_within(value)
                self._limits.setdefault(base, [None] * 7)[on] = minutes
                self._hours.setdefault(base, [None] * 7)[on] = hours
            else:
                held.pop(key, None)  # of two exceptions for a day, the later one holds
                held[key] = value
        self._held = held
        self.days = Days(self["family/zone"], int(self["family/dayStart"]))

    def __getitem__(self, key: str) -> str:
        return self._held.get(key) or values.USUAL[key]

    def text(self, key: str) -> str | None:
        """Return the value of a rule; None without such a rule."""
        return self._held.get(key)

    def number(self, key: str) -> int | None:
        """Return a number; None without such a rule."""
        text = self._held.get(key, values.USUAL.get(key))
        return int(text) if text is not None else None

    def limits(self, key: str) -> list[int | None] | None:
        """Return the minutes of each weekday, or None without such a rule."""
        limits = self._limits.get(key, [])
        return limits if any(minutes is not None for minutes in limits) else None

    def hours(self, key: str, on: date) -> list[list[weekly.Window]] | None:
        """Return the hours of a limit on a day, as windows of every weekday; None for the whole day."""
        window = self._hours.get(key, [None] * 7)[on.weekday()]
        return None if window is None else [[window]] * 7

    def use(self, stretches: Iterable[use.Stretch]) -> dict[date, dict]:
        """Return the use of each family day, as these rules count it."""
        within = {key: lambda on, key=key: self.hours(key, on) for key, found in self._hours.items() if any(found)}
        return use.by_day(stretches, self.days, self.learning_is_free, self.members, within)

    def app(self, id_: str, what: str) -> str | None:
        """Return a rule of an application; None if the application's rules are off."""
        place = f"app/{values.app_segment(id_)}"
        if what != "enabled" and self._held.get(f"{place}/enabled") == "no":
            return None
        own = self._held.get(f"{place}/{what}")
        of_groups = [found for group in self.groups(id_) if (found := self._held.get(f"group/{group}/{what}"))]
        if what == "blocked":
            return next((word for word in ("now", "yes") if word in (own, *of_groups)), own)
        if what == "allowed":
            return "yes" if own != "yes" and of_groups and of_groups == ["yes"] * len(self.groups(id_)) else own
        if what == "category" and own is None:
            return next((word for word in ("reward", "neutral", "learning") if word in of_groups), None)
        return own

    @property
    def members(self) -> dict[str, list[str]]:
        """Return the applications of each group, by its name."""
        return {
            values.app_id(key.split("/")[1]): [id_ for id_ in value.split("\n") if self.groups(id_)]
            for key, value in self._held.items() if key.startswith("group/") and key.endswith("/members")
        }

    def own(self, id_: str, what: str) -> str | None:
        """Return a rule of an application itself, not of its groups; None if its rules are off."""
        place = f"app/{values.app_segment(id_)}"
        return None if self._held.get(f"{place}/enabled") == "no" else self._held.get(f"{place}/{what}")

    def groups(self, id_: str) -> list[str]:
        """Return the groups that an application is in, as they are written in keys."""
        if self._held.get(f"app/{values.app_segment(id_)}/enabled") == "no":
            return []
        found = [key.split("/")[1] for key, value in self._held.items()
                 if key.startswith("group/") and key.endswith("/members") and id_ in value.split("\n")]
        return sorted(found, key=lambda name: values.app_id(name).encode())

    def _rate(self, id_: str, category: str) -> int | None:
        own = self.app(id_, "rate")
        if own is not None:
            return int(own)
        rates = [int(found) for group in self.groups(id_) if (found := self._held.get(f"group/{group}/rate"))
                 and self._held.get(f"group/{group}/category") in (None, category)]
        return (min if category == "learning" else max)(rates, default=None)

    def name(self, id_: str) -> str:
        """Return the display name of an application."""
        if id_ == values.UNKNOWN_PROGRAMS:
            return "Unknown programs"
        if id_ == values.OTHER_PROGRAMS:
            return "Other programs"
        if id_ == values.SCREEN_TIME:
            return "Screen time"
        return self.app(id_, "name") or id_

    def category(self, id_: str) -> tuple[str, int]:
        """Return the category of an application, and what its use earns or costs in milli-points a
        minute.
        """
        if id_ == values.UNKNOWN_PROGRAMS:
            default = "reward" if self["unknownPrograms"] == "reward" else "neutral"
        else:
            default = self._default(id_)
        word = self.app(id_, "category") or default
        rate = self._rate(id_, word)
        if rate is not None:
            return word, rate
        usual = self.number(f"category/{word}/rate")
        return word, (0 if word == "neutral" else _USUAL_RATE) if usual is None else usual

    def is_listed(self, id_: str) -> bool:
        """Return whether a parent has given an application a category or always allows it."""
        return self.app(id_, "category") is not None or self.app(id_, "allowed") == "yes"

    def _default(self, id_: str) -> str:
        return "neutral" if self.app(id_, "enabled") == "no" else defaults.CATEGORIES.get(id_, "neutral")

    @property
    def learning_is_free(self) -> bool:
        """Return whether learning is no screen time."""
        return self["screenTime/learning"] == "free"

    def presence(self, stretches: list) -> list[tuple[int, int]]:
        """Return the times from which breaks follow, the earliest first."""
        return use.presence(stretches, self.days, self["screenTime/source"] == "programs", self.learning_is_free)

    def windows(self, name: str) -> list:
        """Return the planned windows of each weekday, empty without a plan."""
        text = self._held.get(f"schedule/{name}")
        return weekly.windows(text) if text else []

    def excepted(self, name: str) -> dict[date, list]:
        """Return the windows of the family days that have an exception."""
        return {on: weekly.times(value) for on, value in self._excepted(name).items()}

    def _excepted(self, name: str) -> dict[date, str]:
        found: dict[date, str] = {}
        for key, value in self._held.items():
            match key.split("/"):
                case ["today", on, what] if what == name:
                    found[day(on)] = value
                case ["days", range_, what] if what == name:
                    first, last = days(range_)
                    found.update((first + timedelta(i), value) for i in range((last - first).days + 1))
        return found

    def daily_limit(self, on: date) -> int | None:
        """Return the minutes of screen time of a day; None without a limit."""
        if text := self._excepted("limit").get(on):
            return weekly.limit(text)
        limits = self.limits("limits/daily")
        return limits[on.weekday()] if limits else None

    def has_own_limit(self, on: date) -> bool:
        """Return whether a day has a limit on screen time of its own instead of the plan's."""
        return on in self._excepted("limit")

    def granted_for_anything(self, on: date) -> int:
        """Return the milliseconds that were granted on a day, whatever for."""
        return sum(minutes * 60_000 for minutes, _, _ in self._given(on, "grant"))

    def granted(self, on: date, id_: str | None, category: str) -> int:
        """Return the milliseconds that were granted on a day for an application."""
        return sum(
            minutes * 60_000
            for minutes, of_category, of_app in self._given(on, "grant")
            if (of_category or category) == category and (of_app or id_) == id_
        )

    def taken(self, on: date, category: str | None = None, app: str | None = None) -> int:
        """Return the milliseconds that were taken away on a day from the limit on a category or on an
        application, or from that on all screen time.
        """
        return sum(minutes * 60_000 for minutes, *purpose in self._given(on, "less") if purpose == [category, app])

    def _given(self, on: date, what: str) -> Iterator[tuple[int, str | None, str | None]]:
        """Yield what was granted on a day, or taken away: minutes, and the category or application."""
        for key, value in self._held.items():
            match key.split("/"):
                case ["today", text, kind, _] if text == on.isoformat() and kind == what:
                    yield values.grant(value.partition("\n")[0])
