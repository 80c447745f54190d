"""The decision: what may run now, the reason, and until when.

Spec: Protocol/11-rules.md section 5
"""

from dataclasses import dataclass, field
from datetime import date, timedelta

from . import values, weekly
from .days import joined
from .rules import Rules

CLOSED, OPEN = "closed", "open"
FOREVER = None
_DAY, _WARNINGS = timedelta(days=1), (900_000, 300_000, 60_000)


@dataclass
class State:
    """The inputs of a decision beside the rules; times in milliseconds."""

    time: int  # the household's time
    day: date
    use: dict = field(default_factory=dict)  # by day: {"screen": …, "categories": {…}, "apps": {…}}
    spendable: int = 0
    redeemed: list[tuple[int, date]] = field(default_factory=list)  # what is left, and its last day
    running: list[str] = field(default_factory=list)
    presence: list[tuple[int, int]] = field(default_factory=list)  # from which breaks follow
    is_unnamed: bool = False  # in an account that is used together


@dataclass(frozen=True)
class Verdict:
    """Whether a program may run, the reason, when that ends, and when to warn; in household time.
    """

    allowed: bool
    reason: str | None = None
    until: int | None = None
    warnings: tuple[int, ...] = ()


def decide(rules: Rules, state: State, app: str) -> Verdict:
    """Return the verdict on a program at present."""
    found = [rule for rule in _Decision(rules, state, app).considered() if rule is not None]
    if closed := [rule for rule in found if rule[1] == CLOSED]:
        ends = [end for _, _, end in closed]
        return Verdict(False, closed[0][0], None if FOREVER in ends else max(ends))
    horizon = rules.days.end(state.day + _DAY)
    opened = [rule for rule in found if rule[2] is not FOREVER and rule[2] < horizon]
    if not opened:
        return Verdict(True)
    reason, _, until = min(opened, key=lambda rule: rule[2])
    return Verdict(True, reason, until, tuple(until - early for early in _WARNINGS if until - early >= state.time))


class _Decision:
    def __init__(self, rules: Rules, state: State, app: str):
        self._rules, self._state, self._app = rules, state, app
        self._category, self._rate = rules.category(app)
        self._now, self._today = state.time, state.day
        self._date = max(rules.days.day(state.time), state.day)  # from which the times of the day follow
        self._day_end = rules.days.end(state.day)
        self._next_length = rules.days.end(state.day + _DAY) - self._day_end

    def considered(self):
        """Yield the verdicts of the rules in their order: the reason, closed or open, and the end.
        """
        rules = self._rules
        if rules["removed"] == "yes":
            return
        groups = rules.groups(self._app)
        if rules.own(self._app, "blocked") in ("yes", "now"):
            yield "blocked", CLOSED, FOREVER
        for group in groups:
            if rules.text(f"group/{group}/blocked") in ("yes", "now"):
                yield f"groupBlocked {values.app_id(group)}", CLOSED, FOREVER
        if self._app == values.UNKNOWN_PROGRAMS and rules["unknownPrograms"] == "block":
            yield "unknownPrograms", CLOSED, FOREVER
        if rules["programs"] == "listed" and not rules.is_listed(self._app):
            yield "programs", CLOSED, FOREVER
        if rules.app(self._app, "allowed") == "yes":
            return
        yield self._lock()
        yield self._outside("bedtime")
        yield self._breaks()
        if self._category != "learning":
            yield self._outside("school")
        if self._category == "reward":
            yield self._reward_times()
        place, own = f"app/{values.app_segment(self._app)}", rules.taken(self._today, app=self._app)
        yield self._hours("appHours", rules.app(self._app, "hours"))
        for group in groups:
            yield self._hours(f"groupHours {values.app_id(group)}", rules.text(f"group/{group}/hours"))
        if rules.app(self._app, "enabled") != "no":
            yield self._of_hours("appLimit", f"{place}/limit", "apps", self._app, own)
        for group in groups:
            name = values.app_id(group)
            yield self._of_hours(f"groupLimit {name}", f"group/{group}/limit", "groups", name, own)
        taken = rules.taken(self._today, category=self._category)
        yield self._daily(f"{self._category}Limit", f"category/{self._category}/limit", self._of_category, taken)
        yield self._screen_time()
        for group in groups:
            name = values.app_id(group)
            yield self._weekly(f"groupWeekly {name}", f"group/{group}/weekly", lambda use, name=name: use["groups"].get(name, 0))
        yield self._weekly(f"{self._category}Weekly", f"category/{self._category}/weekly", self._of_category)
        yield self._weekly("weeklyLimit", "limits/weekly", lambda use: use["screen"])
        yield self._points()

    def _of_category(self, use: dict) -> int:
        return use["categories"].get(self._category, 0)

    def _used(self, on: date, of) -> int:
        """Return the use of a day.

        The use of later days, which a wrong clock had reached, counts as today's.
        """
        days = [day for day in self._state.use if day == on or (on == self._today and day > on)]
        return sum(of(self._state.use[day]) for day in days)

    def _granted(self, on: date) -> int:
        return self._rules.granted(on, self._app, self._category)

    def _lock(self):
        word, _, until = self._rules["lock"].partition(" ")
        if word == "on":
            return "lock", CLOSED, FOREVER
        if word == "until":
            end = int(values.lock_end(until.removesuffix(" now")).timestamp()) * 1_000
            return ("lock", CLOSED, end) if end > self._now else None
        return None

    def _windows(self, name: str) -> list[tuple[int, int]]:
        return self._rules.days.windows(self._rules.windows(name), self._rules.excepted(name), self._date)

    def _outside(self, reason: str):
        """A rule that closes within its windows."""
        windows = self._windows(reason)
        for start, end in windows:
            if start <= self._now < end:
                return reason, CLOSED, end
        coming = [start for start, _ in windows if start > self._now]
        return (reason, OPEN, coming[0]) if coming else None

    def _breaks(self):
        """The break after some use without a pause of its length."""
        text = self._rules.text("limits/breaks")
        if text is None:
            return None
        after, length = (minutes * 60_000 for minutes in values.breaks(text))
        count, paused = 0, self._rules.days.start(self._date - _DAY)  # since when nothing has counted
        for start, end in self._state.presence:
            start, end = max(start, paused), min(end, self._now)
            if start >= end:
                continue
            if start - paused >= length:
                count = 0
            while start < end:
                used = min(end - start, after - count)
                count, start = count + used, start + used
                if count == after:  # a break
                    count, start = 0, start + length
            paused = start
        if paused > self._now:
            return "breaks", CLOSED, paused
        return "breaks", OPEN, self._now + after - (0 if self._now - paused >= length else count)

    def _reward_times(self):
        plan, excepted, days = self._rules.windows("rewardTimes"), self._rules.excepted("rewardTimes"), self._rules.days
        near = [self._date + i * _DAY for i in range(-2, 3)]
        if not plan and not any(day in excepted for day in near):
            return None
        windows = self._windows("rewardTimes")
        if not plan:  # allowed on all days without an exception
            windows = joined([*windows, *((days.start(day), days.end(day)) for day in near if day not in excepted)])
        return self._within("rewardTimes", windows)

    def _hours(self, reason: str, text: str | None):
        if text is None:
            return None
        windows = self._rules.days.windows(weekly.windows(text), {}, self._date)
        return self._within(reason, windows)

    def _within(self, reason: str, windows: list[tuple[int, int]]):
        """A rule that is open within its windows alone."""
        for start, end in windows:
            if start <= self._now < end:
                return reason, OPEN, end
        coming = [start for start, _ in windows if start > self._now]
        return reason, CLOSED, coming[0] if coming else FOREVER

    def _daily(self, reason: str, key: str, of, taken: int):
        limits = self._rules.limits(key)
        if limits is None:
            return None
        today, tomorrow = (limits[day.weekday()] for day in (self._today, self._today + _DAY))
        return self._limited(reason, None if today is None else today - taken / 60_000, tomorrow, of)

    def _of_hours(self, reason: str, key: str, what: str, name: str, taken: int):
        """A limit on an application or a group, which may hold within some hours alone."""
        limits, days = self._rules.limits(key), [self._today, self._today + _DAY]
        if limits is None:
            return None
        hours = [self._rules.hours(key, day) for day in days]
        spent = f"{what}Within" if hours[0] else what
        if hours == [None, None]:
            return self._daily(reason, key, lambda use: use[what].get(name, 0), taken)
        used = self._used(self._today, lambda use: use.get(spent, {}).get(name, 0))
        more, from_ = [self._granted(self._today) - taken - used, 0], self._now
        for day, plan, extra in zip(days, hours, more, strict=True):
            limit, day_end = limits[day.weekday()], self._rules.days.end(day)
            if limit is not None:
                whole = [(from_, day_end)]
                windows = self._rules.days.windows(plan, {}, self._date) if plan else whole
                ahead = [(max(start, from_), min(end, day_end)) for start, end in windows]
                found = self._used_up(max(0, limit * 60_000 + extra), [one for one in ahead if one[0] < one[1]])
                if found:
                    return reason, *found
            from_ = day_end
        return reason, OPEN, FOREVER

    def _used_up(self, left: int, windows: list[tuple[int, int]]):
        """Return when time is used up by use in all of the windows; None if it lasts for them."""
        for start, end in windows:
            if left == 0 and start == self._now:
                return CLOSED, end
            if left < end - start:
                return OPEN, start + left
            left -= end - start
        return None

    def _screen_time(self):
        """The limit on all screen time, with what earlier days of the week have left."""
        limits = [self._rules.daily_limit(self._today + i * _DAY) for i in (0, 1)]
        if limits == [None, None]:
            return None
        carried = 0
        for back in range(self._today.weekday(), 0, -1):
            carried = self._unused(self._today - back * _DAY, carried)
        rest = self._day_end - self._now
        following = 0 if (self._today + _DAY).weekday() == 0 else self._unused(self._today, carried, rest)
        today, tomorrow = (None if limit is None else limit + more / 60_000
                           for limit, more in zip(limits, (carried - self._rules.taken(self._today), following), strict=True))
        return self._limited("dailyLimit", today, tomorrow, lambda use: use["screen"])

    def _unused(self, on: date, carried: int, more: int = 0) -> int:
        """Return what a day leaves for the next one, if it is used for some milliseconds more."""
        limit, most = self._rules.daily_limit(on), self._rules.number("limits/carryOver") or 0
        if limit is None or self._rules.has_own_limit(on + _DAY):
            return 0
        counted = max(0, self._used(on, lambda use: use["screen"]) + more - self._rules.granted_for_anything(on))
        return min(most * 60_000, max(0, limit * 60_000 + carried - self._rules.taken(on) - counted))

    def _limited(self, reason: str, limit: float | None, tomorrow: float | None, of):
        if limit is not None:
            left = round(limit * 60_000) + self._granted(self._today) - self._used(self._today, of)
            if left <= 0:
                return reason, CLOSED, self._day_end
            if left < self._day_end - self._now:
                return reason, OPEN, self._now + left
        return self._follows(reason, tomorrow)

    def _follows(self, reason: str, minutes: float | None):
        return self._follows_for(reason, None if minutes is None else round(minutes * 60_000))

    def _follows_for(self, reason: str, left: int | None):
        """A limit that lasts to the end of the day; it is open for what the next day allows."""
        if left is None or left >= self._next_length:
            return reason, OPEN, FOREVER
        return reason, OPEN, self._day_end + max(0, left)

    def _weekly(self, reason: str, key: str, of):
        limit = self._rules.number(key)
        if limit is None:
            return None
        base = limit * 60_000
        for back in range(1, self._today.weekday() + 1):
            day = self._today - back * _DAY
            base -= max(0, self._used(day, of) - self._granted(day))
        granted, used = self._granted(self._today), self._used(self._today, of)
        left, rest = base + granted - used, self._day_end - self._now
        if left <= 0:
            return reason, CLOSED, self._day_end
        if left < rest:
            return reason, OPEN, self._now + left
        if (self._today + _DAY).weekday() == 0:
            return self._follows_for(reason, limit * 60_000)
        return self._follows_for(reason, base - max(0, used + rest - granted))

    def _points(self):
        if self._rules["mode"] != "points" or self._category != "reward":
            return None
        is_redeemed = self._rules["points/use"] == "redeemFirst"
        if not is_redeemed and self._rate == 0:
            return None
        if self._state.is_unnamed:
            return "unnamed", CLOSED, FOREVER
        if is_redeemed:
            return self._redeemed()
        if self._state.spendable <= 0:
            return "points", CLOSED, FOREVER
        running = {*self._state.running, self._app}
        rates = [rate for category, rate in map(self._rules.category, running) if category == "reward"]
        return "points", OPEN, self._now + self._state.spendable * 3_600_000 // (60 * sum(rates))

    def _redeemed(self):
        valid = [(left, last) for left, last in self._state.redeemed if last >= self._today]
        total, lasting = sum(left for left, _ in valid), sum(left for left, last in valid if last > self._today)
        rest = self._day_end - self._now
        if total <= 0:
            return "redeemedTime", CLOSED, FOREVER
        if total < rest:
            return "redeemedTime", OPEN, self._now + total
        return self._follows_for("redeemedTime", min(total - rest, lasting))
