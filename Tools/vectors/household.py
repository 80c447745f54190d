"""The household's rules, written from Protocol/11-rules.md alone."""

import datetime
import json
import pathlib
import re
import zoneinfo

DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
MINUTE, HOUR = 60_000, 3_600_000
CATEGORIES = ("learning", "reward", "neutral")
UNKNOWN, OTHER, SCREEN = "latchkey.unknown", "latchkey.other", "latchkey.screen"


class Fault(Exception):
    pass


# §1: values

def items(text):
    found = []
    for part in text.lower().split(","):
        words = [word for word in part.split(" ") if word]
        if not words:
            raise Fault("empty part")
        found.append((weekdays("".join(words[:-1])), words[-1]))
    return found


def weekdays(text):
    if not text:
        return list(range(7))
    ends = text.split("-")
    if len(ends) > 2 or any(end not in DAYS for end in ends):
        raise Fault("no weekday")
    day, last, run = DAYS.index(ends[0]), DAYS.index(ends[-1]), []
    while True:
        run.append(day)
        if day == last:
            return run
        day = (day + 1) % 7


def number(text, least, most):
    if not re.fullmatch(r"0|[1-9][0-9]{0,14}", text) or not least <= int(text) <= most:
        raise Fault("number")
    return int(text)


def runs(days):
    found = []
    for day in sorted(days):
        if found and found[-1][-1] == day - 1:
            found[-1].append(day)
        else:
            found.append([day])
    return found


def item(run, value):
    if len(run) == 7:
        return value
    return (DAYS[run[0]] if len(run) == 1 else f"{DAYS[run[0]]}-{DAYS[run[-1]]}") + " " + value


def limit(text):
    return None if text.lower() == "none" else number(text, 0, 1440)


def limit_text(minutes):
    return "none" if minutes is None else str(minutes)


def limit_within(text):
    """Reads the limit of an application or a group: minutes, and a window or None; None for no limit."""
    words = [word for word in text.split(" ") if word]
    if len(words) == 3 and words[1].lower() == "within":
        minutes, hours = number(words[0], 0, 1440), window(words[2])
        if minutes > ((hours[1] - hours[0]) % 1440 or 1440):
            raise Fault("a limit that is longer than its hours")
        return minutes, hours
    minutes = limit(text)
    return None if minutes is None else (minutes, None)


def limit_within_text(value):
    return "none" if value is None else str(value[0]) + (f" within {window_text(value[1])}" if value[1] else "")


def window(text):
    match = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})-([0-9]{1,2}):([0-9]{2})", text)
    if not match:
        raise Fault("window")
    a, b, c, d = map(int, match.groups())
    start, end = a * 60 + b, c * 60 + d
    if b > 59 or d > 59 or start >= 1440 or end > 1440 or start == end:
        raise Fault("window")
    return start, end or 1440


def length(start, end):
    return end - start if end > start else end + 1440 - start


def window_text(one):
    return "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in one)


def windows(text):
    days = [[] for _ in range(7)]
    for on, value in items(text):
        for day in on:
            days[day].append(window(value))
    spans = sorted((day * 1440 + one[0], day * 1440 + one[0] + length(*one)) for day in range(7) for one in days[day])
    if any(len(day) > 8 for day in days):
        raise Fault("more than 8")
    if len(spans) > 1:
        spans.append((spans[0][0] + 10_080, spans[0][1] + 10_080))
    if any(left[1] > right[0] for left, right in zip(spans, spans[1:])):
        raise Fault("overlap")
    return [sorted(day) for day in days]


def windows_text(days):
    found = []
    for one in {one for day in days for one in day}:
        found += [(run[0], one, item(run, window_text(one))) for run in runs(d for d in range(7) if one in days[d])]
    return ", ".join(text for _, _, text in sorted(found))


def bedtime(text):
    days = windows(text)
    if sum(length(*one) for day in days for one in day) >= 10_080:
        raise Fault("never ends")
    return days


def times(text):
    if text.lower() == "none":
        return []
    found = items(text)
    if any(len(days) != 7 for days, _ in found) or len(found) > 8:
        raise Fault("weekdays")
    ones = sorted(window(value) for _, value in found)
    if len(ones) > 1:
        for left, right, shift in zip(ones, ones[1:] + ones[:1], [0] * (len(ones) - 1) + [1440]):
            if left[0] + length(*left) > right[0] + shift:
                raise Fault("overlap")
    return ones


def bedtimes(text):
    ones = times(text)
    if sum(length(*one) for one in ones) >= 1440:
        raise Fault("never ends")
    return ones


def times_text(ones):
    return ", ".join(map(window_text, ones)) or "none"


def category(text):
    if text.lower() not in CATEGORIES:
        raise Fault("category")
    return text.lower()


def grant(text):
    words = [word for word in text.split(" ") if word]
    if len(words) not in (1, 2):
        raise Fault("grant")
    minutes = number(words[0], 1, 1440)
    scope = words[1] if len(words) == 2 else "all"
    if scope not in CATEGORIES + ("all",) and not (scope.startswith("app:") and len(scope) > 4) or "all" in words[1:]:
        raise Fault("grant")
    return minutes, scope


def applications(text):
    apps = sorted({line for line in text.split("\n") if line}, key=str.encode)
    if not 1 <= len(apps) <= 256 or any(" " in app or app in (UNKNOWN, OTHER, SCREEN) for app in apps):
        raise Fault("applications")
    return apps


def given(text):
    first, _, reason = text.partition("\n")
    if "\n" in text and not (0 < len(reason.encode()) <= 1024 and reason.isprintable()):
        raise Fault("reason")
    return *grant(first), reason


def given_text(value):
    return grant_text(value) + ("\n" + value[2] if value[2] else "")


def deduction(text):
    minutes, scope, reason = given(text)
    return -minutes, scope, reason


def deduction_text(value):
    return given_text((-value[0], *value[1:]))


def grant_text(value):
    return str(value[0]) if value[1] == "all" else f"{value[0]} {value[1]}"


def choice(*words):
    def read(text):
        if text not in words:
            raise Fault("choice")
        return text
    return read, str


def lock(text):
    """Reads a lock: on, off or an instant, and whether it leaves no time to save."""
    how = text.removesuffix(" now")
    if how == "off" != text:
        raise Fault("lock")
    return lock_state(how), how != text


def lock_state(text):
    if text in ("on", "off"):
        return text
    match = re.fullmatch(r"until ([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}):([0-9]{2})Z", text)
    try:
        date = datetime.date.fromisoformat(match[1])
        at = datetime.datetime(date.year, date.month, date.day, int(match[2]), int(match[3]), tzinfo=datetime.UTC)
    except (TypeError, ValueError):
        raise Fault("lock") from None
    if date.year < 1970:
        raise Fault("lock")
    return int(at.timestamp()) * 1000


def lock_text(value):
    value, now = value
    return lock_state_text(value) + (" now" if now else "")


def lock_state_text(value):
    if isinstance(value, str):
        return value
    return datetime.datetime.fromtimestamp(value // 1000, datetime.UTC).strftime("until %Y-%m-%dT%H:%MZ")


def breaks(text):
    words = [word for word in text.split(" ") if word]
    if len(words) != 2:
        raise Fault("breaks")
    return [number(words[0], 1, 1440), number(words[1], 1, 240)]


FORMS = {
    "breaks": lambda: (breaks, lambda numbers: " ".join(map(str, numbers))),
    "limit": lambda: (limit, limit_text), "limit within": lambda: (limit_within, limit_within_text), "windows": lambda: (windows, windows_text),
    "windows that end": lambda: (bedtime, windows_text), "times": lambda: (times, times_text),
    "times that end": lambda: (bedtimes, times_text), "grant": lambda: (given, given_text),
    "applications": lambda: (applications, "\n".join),
    "deduction": lambda: (deduction, deduction_text), "lock": lambda: (lock, lock_text),
    "zone": lambda: ((lambda text: text), str),
}
TABLE = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Protocol" / "rule-kinds.json").read_text())
KINDS = {kind["key"]: kind for kind in TABLE["kinds"]}


def span(text):
    """Returns the first and the last of days; None for a text that names none."""
    try:
        first, last = (datetime.date.fromisoformat(end) for end in (text.split("..") * 2)[:2] if len(end) == 10)
    except ValueError:
        return None
    return (first, last) if (".." in text and 0 < (last - first).days < 366) or first == last and ".." not in text else None


def kind(key):
    """Returns what the table of rules says of a key; None for an unknown one."""
    match key.split("/"):
        case ["app", _, what]: return KINDS.get(f"app/ID/{what}")
        case ["group", _, what]: return KINDS.get(f"group/NAME/{what}")
        case ["category", one, what]: return KINDS.get(f"category/CATEGORY/{what}") if one in CATEGORIES else None
        case ["today" | "days" as word, on, what]:
            days = span(on)
            return KINDS.get(f"today/DATE/{what}") if days and (days[0] == days[1]) == (word == "today") else None
        case ["today", _, "grant" | "less" as what, _]: return KINDS[f"today/DATE/{what}/ID"]
        case _: return KINDS.get(key)


def codec(key):
    """Returns how a value of a key is read and written; None for an unknown key, and for a text that decides nothing."""
    base, _, day = key.rpartition("/")
    if day in DAYS:
        return codec(base) if (kind(base) or {}).get("weekdays") else None
    known = kind(key)
    if known is None:
        return None
    if "words" in known:
        return (category, str) if known["key"] in ("app/ID/category", "group/NAME/category") else choice(*known["words"])
    if "least" in known:
        return (lambda text: number(text, known["least"], known["most"])), str
    return FORMS[known["form"]]() if known["form"] in FORMS else None


# §2: from registers to rules

def rules(registers):
    """Returns the values in force by key, from (zone, key, value) of the family and one child."""
    found = {}
    for zone in ("family", "child"):
        # The limit of every day comes before those of its weekdays, whose keys are longer.
        for where, key, value in sorted(registers, key=lambda register: register[1].count("/")):
            if where != zone or value is None or not codec(key) or key.startswith((f"app/{UNKNOWN}/", f"app/{OTHER}/", f"app/{SCREEN}/")):
                continue
            base, _, day = key.rpartition("/")
            if zone not in kind(base if day in DAYS else key)["zones"]:
                continue
            read, write = codec(key)
            try:
                if write(read(value)) != value:
                    continue
                if kind(base if day in DAYS else key).get("weekdays"):
                    base, days = (key[:-4], [key[-3:]]) if key[-3:] in DAYS and key[-4] == "/" else (key, DAYS)
                    found.setdefault(base, [None] * 7)
                    found[base] = [read(value) if day in days else held for day, held in zip(DAYS, found[base])]
                else:
                    found.pop(key, None)  # of two exceptions for a day, the later one holds
                    found[key] = read(value)
            except Fault:
                pass
    return {key: value for key, value in found.items() if value != [None] * 7}


# §3: days

class Family:
    def __init__(self, zone, hour):
        self.zone, self.hour = zoneinfo.ZoneInfo(zone), hour

    def offset(self, instant):
        at = datetime.datetime.fromtimestamp(instant / 1000, datetime.UTC).astimezone(self.zone)
        return int(at.utcoffset().total_seconds()) * 1000

    def instant(self, date, minute):
        """The first instant at which clocks show that date and minute or a later one."""
        local = (date.toordinal() - 719_163) * 86_400_000 + minute * MINUTE
        shown = lambda instant: instant + self.offset(instant)
        # Clocks change by whole minutes, and show it at most a day from UTC.
        candidates = {local - self.offset(local + shift * HOUR) for shift in range(-26, 27)}
        exact = [c for c in candidates if shown(c) == local]
        if exact:
            return min(exact)
        low, high = local - 24 * HOUR, local + 24 * HOUR
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if shown(middle) >= local else (middle, high)
        return high

    def start(self, day):
        return self.instant(day, self.hour * 60)

    def day(self, instant):
        at = datetime.datetime.fromtimestamp(instant / 1000, datetime.UTC).astimezone(self.zone)
        day = at.date() + datetime.timedelta(days=1)
        while self.start(day) > instant:
            day -= datetime.timedelta(days=1)
        return day


def later(day, days):
    return day + datetime.timedelta(days=days)


def union(spans):
    found = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def stretches(family, plan, exceptions, around):
    spans = []
    place = lambda date, one: (family.instant(date, one[0]), family.instant(later(date, 0 if one[1] > one[0] else 1), one[1]))
    for offset in range(-3, 5):
        date = later(around, offset)
        for one in plan[date.weekday()] if plan else []:
            span = place(date, one)
            if str(family.day(span[0])) not in exceptions:
                spans.append(span)
        for one in exceptions.get(str(date), []):
            spans.append(place(later(date, 1) if one[0] < family.hour * 60 else date, one))
    return union(spans)


# §5: the decision

def decide(found, situation):
    """Returns for each application named in the situation (allowed, reason, until, warnings)."""
    get = found.get
    family = Family(get("family/zone", "UTC"), get("family/dayStart", 0))
    now, day = situation["time"], datetime.date.fromisoformat(situation["day"])
    end, after = family.start(later(day, 1)), family.start(later(day, 2))
    to_end, horizon = end - now, after - now
    tomorrow_length = after - end

    def exceptions(what):
        excepted = {}
        for key, value in found.items():
            if key.split("/")[0] in ("today", "days") and key.split("/")[2] == what:
                first, last = span(key.split("/")[1])
                excepted |= {str(later(first, number)): value for number in range((last - first).days + 1)}
        return excepted


    def groups(app):
        names = sorted((key.split("/")[1] for key, value in found.items() if key.startswith("group/") and key.endswith("/members")
                        and app in value), key=str.encode)
        return [] if get(f"app/{app}/enabled") == "no" else names

    def of_groups(app, what):
        return [get(f"group/{name}/{what}") for name in groups(app)]

    def category(app):
        if app == UNKNOWN:
            return "reward" if get("unknownPrograms") == "reward" else "neutral"
        return rule(app, "category") or "neutral"

    def rate(app):
        own = rule(app, "rate")
        if own is None:
            kind = category(app)
            rates = [get(f"group/{name}/rate") for name in groups(app) if get(f"group/{name}/category") in (None, kind)]
            rates = [one for one in rates if one is not None]
            own = (min(rates) if kind == "learning" else max(rates)) if rates else get(f"category/{kind}/rate", 1000)
        return 60 * own

    def rule(app, what):
        if get(f"app/{app}/enabled") == "no":
            return None
        own = get(f"app/{app}/{what}")
        if what == "allowed" and groups(app) and set(of_groups(app, what)) == {"yes"}:
            return "yes"
        if what == "category" and own is None:
            return next((word for word in ("reward", "neutral", "learning") if word in of_groups(app, what)), None)
        return own

    def costs(app):
        return get("mode", "points") == "points" and category(app) == "reward" and rule(app, "allowed") != "yes"

    def used(on, pick):
        return pick(situation["use"].get(str(on), {"screen": 0, "categories": {}, "apps": {}, "groups": {}}))

    def used_today(pick):
        return sum(used(datetime.date.fromisoformat(on), pick) for on in situation["use"] if on >= str(day))

    def granted(app, on):
        scopes = ("all", category(app), f"app:{app}")
        return sum(value[0] * MINUTE for key, value in found.items()
                   if key.startswith(f"today/{on}/grant/") and value[1] in scopes)

    def taken(on, scope):
        """What was taken away from the limit of a scope, which is less than 0."""
        return sum(value[0] * MINUTE for key, value in found.items() if key.startswith(f"today/{on}/less/") and value[1] == scope)

    def beyond(left):
        return ("open", to_end + max(0, left)) if left < tomorrow_length else ("open", None)

    def limited(left):
        return ("open", left) if left < horizon else ("open", None)

    def daily(app, minutes, scope, pick):
        limit, following = (None if one is None else one * MINUTE for one in (minutes[day.weekday()], minutes[later(day, 1).weekday()]))
        return of_milliseconds(app, limit if limit is None else limit + taken(day, scope), following, pick)

    def within(app, limits, what, name):
        """The limit of an application or a group, of which each day may have a window of its own."""
        limit, following = (limits[one.weekday()] for one in (day, later(day, 1)))
        parts = []  # the stretches in which the program may be used up, and what is left in them
        if limit:
            key = what if limit[1] is None else f"{what}Within"
            spent = used_today(lambda one: one.get(key, {}).get(name, 0))
            parts.append((limit, limit[0] * MINUTE + taken(day, f"app:{app}") + granted(app, day) - spent, 0, to_end))
        if following:
            parts.append((following, following[0] * MINUTE, to_end, horizon))
        for one, left, first, last in parts:
            spans = stretches(family, [[one[1]]] * 7, {}, day) if one[1] else [(now + first, now + last)]
            for start, stop in spans:
                start, stop = max(start - now, first), min(stop - now, last)
                if start >= stop:
                    continue
                if left <= 0 and start == 0:
                    return "closed", stop
                if max(0, left) < stop - start:
                    return "open", start + max(0, left)
                left -= stop - start
        return "open", None

    def left_over(on, limit, before, more=0):
        if limit is None or str(later(on, 1)) in exceptions("limit"):
            return 0
        gifts = sum(value[0] * MINUTE for key, value in found.items() if key.startswith(f"today/{on}/grant/"))
        spent = (used_today if on == day else lambda pick: used(on, pick))(lambda one: one["screen"]) + more
        return min(get("limits/carryOver", 0) * MINUTE, max(0, limit * MINUTE + before + taken(on, "all") - max(0, spent - gifts)))

    def screen_time():
        excepted, limits = exceptions("limit"), get("limits/daily", [None] * 7)
        limit = lambda on: excepted.get(str(on), limits[on.weekday()])
        over = 0
        for offset in range(-day.weekday(), 0):
            over = left_over(later(day, offset), limit(later(day, offset)), over)
        today, following = limit(day), limit(later(day, 1))
        if following is not None:
            following = following * MINUTE + (left_over(day, today, over, to_end) if day.weekday() < 6 else 0)
        return None if today is None else today * MINUTE + over + taken(day, "all"), following

    def of_milliseconds(app, limit, following, pick):
        if limit is not None:
            left = limit + granted(app, day) - used_today(pick)
            if left <= 0:
                return "closed", to_end
            if left < to_end:
                return "open", left
        return ("open", None) if following is None else beyond(following)

    def weekly(app, minutes, pick):
        base = minutes * MINUTE
        for offset in range(day.weekday()):
            earlier = later(day, offset - day.weekday())
            base -= max(0, used(earlier, pick) - granted(app, earlier))
        extra, today = granted(app, day), used_today(pick)
        left = base + extra - today
        if left <= 0:
            return "closed", to_end
        if left < to_end:
            return "open", left
        if day.weekday() == 6:
            return beyond(minutes * MINUTE)
        return beyond(base - max(0, today + to_end - extra))

    def breaks():
        after, length = (MINUTE * number for number in get("limits/breaks"))
        counted, latest, resting = 0, None, family.start(later(max(family.day(now), day), -1))
        # Walk forward over the times of use; those before `resting` do not count.
        for start, stop in [(start, min(stop, now)) for start, stop in situation["presence"] if start < now]:
            start = max(start, resting)
            if start >= stop:
                continue
            counted = 0 if counted and start - latest >= length else counted
            while start < stop:
                if counted + stop - start < after:
                    counted, latest, start = counted + stop - start, stop, stop
                else:
                    resting = start + after - counted + length
                    counted, start = 0, resting
        if resting > now:
            return "closed", resting - now
        return limited(after if counted and now - latest >= length else after - counted)

    def outside(spans):
        for start, stop in spans:
            if start <= now < stop:
                return "closed", stop - now
        coming = [start for start, _ in spans if start > now]
        return limited(coming[0] - now) if coming else ("open", None)

    def inside(spans):
        for start, stop in spans:
            if start <= now < stop:
                return limited(stop - now)
        coming = [start for start, _ in spans if start > now]
        return "closed", coming[0] - now if coming else None

    def considered(app):
        if get("removed") == "yes":
            return
        kind = category(app)
        if get(f"app/{app}/blocked") in ("yes", "now") and get(f"app/{app}/enabled") != "no":
            yield "blocked", ("closed", None)
        for name in groups(app):
            if get(f"group/{name}/blocked") in ("yes", "now"):
                yield f"groupBlocked {name}", ("closed", None)
        if app == UNKNOWN and get("unknownPrograms") == "block":
            yield "unknownPrograms", ("closed", None)
        if get("programs") == "listed" and not rule(app, "category") and rule(app, "allowed") != "yes":
            yield "programs", ("closed", None)
        if rule(app, "allowed") == "yes":
            return
        locked, _ = get("lock", ("off", False))
        if locked == "on":
            yield "lock", ("closed", None)
        elif locked != "off" and locked > now:
            yield "lock", ("closed", locked - now)
        spans = stretches(family, get("schedule/bedtime"), exceptions("bedtime"), day)
        if spans:
            yield "bedtime", outside(spans)
        if get("limits/breaks"):
            yield "breaks", breaks()
        spans = stretches(family, get("schedule/school"), exceptions("school"), day)
        if spans and kind != "learning":
            yield "school", outside(spans)
        plan, excepted = get("schedule/rewardTimes"), exceptions("rewardTimes")
        near = {str(later(day, offset)) for offset in range(-2, 3)}
        if kind == "reward" and (plan or near & set(excepted)):
            spans = stretches(family, plan, excepted, day)
            if not plan:
                free = [later(day, offset) for offset in range(-2, 3) if str(later(day, offset)) not in excepted]
                spans = union(spans + [(family.start(one), family.start(later(one, 1))) for one in free])
            yield "rewardTimes", inside(spans)
        if rule(app, "hours"):
            yield "appHours", inside(stretches(family, rule(app, "hours"), {}, day))
        for name in groups(app):
            if get(f"group/{name}/hours"):
                yield f"groupHours {name}", inside(stretches(family, get(f"group/{name}/hours"), {}, day))
        if rule(app, "limit"):
            yield "appLimit", within(app, rule(app, "limit"), "apps", app)
        for name in groups(app):
            if get(f"group/{name}/limit"):
                yield f"groupLimit {name}", within(app, get(f"group/{name}/limit"), "groups", name)
        in_category = lambda one: one["categories"].get(kind, 0)
        if get(f"category/{kind}/limit"):
            yield f"{kind}Limit", daily(app, get(f"category/{kind}/limit"), kind, in_category)
        if screen_time() != (None, None):
            yield "dailyLimit", of_milliseconds(app, *screen_time(), lambda one: one["screen"])
        for name in groups(app):
            if get(f"group/{name}/weekly") is not None:
                yield f"groupWeekly {name}", weekly(app, get(f"group/{name}/weekly"), lambda one: one["groups"].get(name, 0))
        if get(f"category/{kind}/weekly") is not None:
            yield f"{kind}Weekly", weekly(app, get(f"category/{kind}/weekly"), in_category)
        if get("limits/weekly") is not None:
            yield "weeklyLimit", weekly(app, get("limits/weekly"), lambda one: one["screen"])
        if costs(app) and get("points/use", "payAsYouGo") == "payAsYouGo" and rate(app) > 0:
            paying = {other for other in situation["running"] if costs(other)} | {app}
            left = max(0, situation["spendable"]) * HOUR // sum(map(rate, paying))
            yield "points", limited(left) if left else ("closed", None)
        if costs(app) and get("points/use") == "redeemFirst":
            valid = [(max(0, left), last) for left, last in situation["redeemed"] if last >= str(day)]
            left, lasting = sum(one[0] for one in valid), sum(one[0] for one in valid if one[1] > str(day))
            if left == 0:
                yield "redeemedTime", ("closed", None)
            else:
                yield "redeemedTime", ("open", left) if left < to_end else beyond(min(lasting, left - to_end))

    verdicts = {}
    for app in situation["apps"]:
        said = list(considered(app))
        closed = [(reason, time) for reason, (how, time) in said if how == "closed"]
        opened = [(time, reason) for reason, (how, time) in said if how == "open" and time is not None]
        if closed:
            spans = [time for _, time in closed]
            verdict = False, closed[0][0], None if None in spans else situation["boot"] + max(spans), []
        elif opened:
            left = min(time for time, _ in opened)
            reason = next(reason for time, reason in opened if time == left)
            until = situation["boot"] + left
            verdict = True, reason, until, [until - warn * MINUTE for warn in (15, 5, 1) if warn * MINUTE <= left]
        else:
            verdict = True, None, None, []
        verdicts[app] = dict(zip(("allowed", "reason", "until", "warnings"), verdict))
    return verdicts


# §6: the ledger

def ledger(texts):
    held = {}
    for text in texts:
        kind, source, purse = text.split(" ")[:3]
        present = held.get((kind, source, purse))
        if present is None or kept_first(text) < kept_first(present):
            held[kind, source, purse] = text
    balance, purses = 0, {}
    for text in held.values():
        kind, _, purse, amount, _, _, other = text.split(" ")[:7]
        purses[purse] = purses.get(purse, 0) + int(amount)
        if kind == "leased":
            purses[other] = purses.get(other, 0) - int(amount)
        else:
            balance += int(amount)
    return sorted(held.values()), balance, purses


def kept_first(text):
    """Returns the sort key of facts with one identity, of which the first is kept; of repeated
    learning, the amount decides first.
    """
    fields = text.split(" ")
    return (int(fields[3]) if fields[0] == "repeated" else 0, text.encode())


def repeats(held):
    """Returns, for each session that earned after another machine had begun to, the shared time and
    its points.
    """
    lessons = []
    for text in held:
        kind, source, purse, amount, _, at, _, quantity = text.split(" ")[:8]
        length = min(int(quantity), 31 * 86_400_000)
        if kind == "earned" and length > 0:
            lessons.append((int(at), source, purse, int(at) + length, int(amount)))
    found = {}
    for start, source, purse, end, amount in lessons:
        shared = set()
        for other in lessons:
            if other[2] != purse and other[:2] < (start, source):
                shared.update(range(max(start, other[0]), min(end, other[3])))
        if shared:
            found[f"{source} {purse}"] = [len(shared), -(-amount * len(shared) // (end - start))]
    return found
