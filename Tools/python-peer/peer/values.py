"""The values of rules: each has exactly one form, and a person may type others.

Spec: Protocol/11-rules.md section 1
"""

import re
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from . import weekly
from .texts import day, digits, is_line, is_visible, is_word, is_zone, number, require, size

CATEGORIES = ("learning", "reward", "neutral")
_MATCHERS = ("sha256", "package", "flatpak", "argument", "path", "name", "snap")
_RATE, _WEEK, _CAP = 10**9, 10_080, 10**12
FAMILY, CHILD = "family", "child"
UNKNOWN_PROGRAMS, OTHER_PROGRAMS, SCREEN_TIME = "latchkey.unknown", "latchkey.other", "latchkey.screen"


def app_id(segment: str) -> str:
    """Read an application's ID in a key; raise ValueError if it is not in its one form."""
    require(not re.search("%(?!25|2F)", segment), "an unknown escape")
    id_ = segment.replace("%2F", "/").replace("%25", "%")
    require(is_word(id_), "no application")
    return id_


def app_segment(id_: str) -> str:
    """Write an application's ID for a key."""
    return id_.replace("%", "%25").replace("/", "%2F")


def uuid_text(text: str) -> bytes:
    """Read an ID in lower case with hyphens."""
    require(re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text) is not None, "no ID")
    return digits(text.replace("-", ""), 16)


def _words(*words: str):
    def write(text: str) -> str:
        text = text.strip().lower()
        return next(word for word in words if word.lower() == text) if text in map(str.lower, words) else _no(text)

    return write


def _no(text: str):
    raise ValueError(f"not a value: {text!r}")


def _whole(least: int, most: int):
    return lambda text: str(number(text.strip(), least, most))


def _checked(holds):
    return lambda text: text if holds(text) else _no(text)


def grant(text: str) -> tuple[int, str | None, str | None]:
    """Read a grant in its one form: minutes, and their purpose: all, a category, or an application.
    """
    minutes, space, what = text.partition(" ")
    app = what.removeprefix("app:") if what.startswith("app:") else None
    require(not space or what in CATEGORIES or (app is not None and is_word(app)), "more time for nothing")
    return number(minutes, 1, 1_440), what if space and app is None else None, app


def _grant(text: str) -> str:
    minutes, *what = text.split()
    require(len(what) <= 1, "more time for too much")
    text = " ".join([minutes, *(part if part.lower().startswith("app:") else part.lower() for part in what)])
    grant(text)
    return text


def _lock(text: str) -> str:
    word, *until = text.split()
    if word.lower() in ("on", "off") and not until:
        return word.lower()
    require(word.lower() == "until" and len(until) == 1, "no lock")
    return f"until {lock_end(until[0].upper()):%Y-%m-%dT%H:%MZ}"


def lock_end(text: str) -> datetime:
    """Read the time at which a lock ends."""
    require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ", text, re.A) is not None, "no time")
    return datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=timezone.utc)


def _matchers(text: str) -> str:
    lines = text.split("\n")
    require(1 <= len(lines) <= 64, "too many")
    for line in lines:
        kind, _, value = line.partition(" ")
        require(kind in _MATCHERS and is_line(value, 1, 1_024), "no matcher")
    return text


def _family_zone(text: str) -> str:
    require(is_zone(text) and size(text) > 0, "no zone")
    try:
        ZoneInfo(text)
    except (KeyError, OSError, ValueError) as error:  # an unknown zone is a KeyError
        raise ValueError("unknown zone") from error
    return text


_yes_no, _minutes_a_week = _words("yes", "no"), _whole(0, _WEEK)
_BOTH, _ONLY_CHILD, _ONLY_FAMILY = (FAMILY, CHILD), (CHILD,), (FAMILY,)
_APP = {
    "name": _checked(lambda text: is_line(text, 1, 255)),
    "category": _words(*CATEGORIES),
    "rate": _whole(0, _RATE),
    "enabled": _yes_no,
    "blocked": _yes_no,
    "allowed": _yes_no,
    "limit": weekly.limit_text,
    "matchers": _matchers,
    "step": _words("close", "pause"),
    "launches": _words("counted", "apart"),
}
_CATEGORY = {"limit": weekly.limit_text, "weekly": _minutes_a_week, "rate": _whole(0, _RATE)}
_TODAY = {
    "bedtime": lambda text: weekly.times_text(text, ends=True),
    "school": weekly.times_text,
    "rewardTimes": weekly.times_text,
}
_PLAIN = {
    "name": (_ONLY_CHILD, _checked(lambda text: is_visible(text, 1, 64))),
    "removed": (_ONLY_CHILD, _yes_no),
    "limits/daily": (_BOTH, weekly.limit_text),
    "limits/weekly": (_BOTH, _minutes_a_week),
    "schedule/bedtime": (_BOTH, lambda text: weekly.windows_text(text, ends=True)),
    "schedule/school": (_BOTH, weekly.windows_text),
    "schedule/rewardTimes": (_BOTH, weekly.windows_text),
    "lock": (_ONLY_CHILD, _lock),
    "mode": (_BOTH, _words("points", "limits")),
    "unknownPrograms": (_BOTH, _words("count", "reward", "block")),
    "sessions": (_BOTH, _words("leave", "lock", "lockUnlessAllowed", "close")),
    "screenTime/source": (_BOTH, _words("sessions", "programs")),
    "screenTime/learning": (_BOTH, _words("counts", "free")),
    "points/use": (_BOTH, _words("payAsYouGo", "redeemFirst")),
    "screenTime/grace": (_BOTH, _whole(1, 240)),
    "points/minutesPerPoint": (_BOTH, _whole(1, 1_440)),
    "points/dailyCap": (_BOTH, _whole(0, _CAP)),
    "points/weeklyCap": (_BOTH, _whole(0, _CAP)),
    "points/minimumSession": (_BOTH, _whole(0, 1_440)),
    "points/redemptionDays": (_BOTH, _whole(1, 366)),
    "family/zone": (_ONLY_FAMILY, _family_zone),
    "family/dayStart": (_ONLY_FAMILY, _whole(0, 23)),
}


def rule(key: str):
    """Return the zones of a key, and the function that writes its value; None for an unknown key.
    """
    if key in _PLAIN:
        return _PLAIN[key]
    try:
        base, _, weekday = key.rpartition("/")
        if weekday in weekly.WEEKDAYS:
            return rule(base) if is_limit(base) else None
        match key.split("/"):
            case ["app", id_, what] if what in _APP:
                app_id(id_)
                return _BOTH, _APP[what]
            case ["category", category, what] if category in CATEGORIES and what in _CATEGORY:
                return _BOTH, _CATEGORY[what]
            case ["today", date, what] if what in _TODAY:
                day(date)
                return _ONLY_CHILD, _TODAY[what]
            case ["today", date, "grant", id_]:
                day(date), uuid_text(id_)
                return _ONLY_CHILD, _grant
    except ValueError:
        pass
    return None


def is_limit(key: str) -> bool:
    """Tell whether a key is a limit of every day, beside which each weekday has its own limit."""
    parts = key.split("/")
    return key == "limits/daily" or (len(parts) == 3 and parts[0] in ("app", "category") and parts[2] == "limit")


def typed(key: str, text: str) -> str:
    """Return the stored value of what a person typed; raise ValueError if it is refused."""
    known = rule(key)
    if known is None:
        raise ValueError(f"an unknown rule: {key}")
    return known[1](text)


def is_in_force(zone: str, key: str, value: str) -> bool:
    """Tell whether a register is in force: known, permitted in its zone, and in its one form."""
    known = rule(key)
    if key.startswith(tuple(f"app/{app}/" for app in (UNKNOWN_PROGRAMS, OTHER_PROGRAMS, SCREEN_TIME))):
        return False
    try:
        return known is not None and zone in known[0] and known[1](value) == value
    except (ValueError, IndexError, StopIteration):
        return False
