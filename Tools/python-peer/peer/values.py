"""The values of rules: each has exactly one form, and a person may type others.

Spec: Protocol/11-rules.md section 1
"""

import json
import re
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from . import weekly
from .checks import PROTOCOL
from .texts import day, days, digits, is_line, is_visible, is_word, is_zone, number, require, size

CATEGORIES = ("learning", "reward", "neutral")
_MATCHERS = ("sha256", "package", "flatpak", "argument", "path", "name", "snap")
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


def _given(text: str) -> str:
    time, newline, reason = text.partition("\n")
    require(not newline or is_line(reason, 1, 1_024), "no reason")
    minutes, *what = time.split()
    require(len(what) <= 1, "more time for too much")
    time = " ".join([minutes, *(part if part.lower().startswith("app:") else part.lower() for part in what)])
    grant(time)
    return time + newline + reason


def _applications(text: str) -> str:
    apps = {line for line in text.split("\n") if line}
    require(1 <= len(apps) <= 256 and all(map(is_word, apps)), "no applications")
    require(sum(map(size, apps)) <= 16_384, "too long")
    require(apps.isdisjoint((UNKNOWN_PROGRAMS, OTHER_PROGRAMS, SCREEN_TIME)), "many programs")
    return "\n".join(sorted(apps, key=str.encode))


def _lock(text: str) -> str:
    word, *until = text.split()
    now = " now" if word.lower() != "off" and until and until[-1].lower() == "now" else ""
    if now:
        until.pop()
    if word.lower() in ("on", "off") and not until:
        return word.lower() + now
    require(word.lower() == "until" and len(until) == 1, "no lock")
    return f"until {lock_end(until[0].upper()):%Y-%m-%dT%H:%MZ}{now}"


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


def _pin(text: str) -> str:
    found = re.fullmatch(r"\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}", text)
    return text if found else _no(text)


def breaks(text: str) -> list[int]:
    """Read the minutes of screen time before a break, and those of the break."""
    words = text.split(" ")
    require(len(words) == 2, "no breaks")
    return [number(words[0], 1, 1_440), number(words[1], 1, 240)]


_FORMS = {
    "visible, 1 to 64 bytes": _checked(lambda text: is_visible(text, 1, 64)),
    "line, 1 to 255 bytes": _checked(lambda text: is_line(text, 1, 255)),
    "limit": weekly.limit_text,
    "limit within": weekly.limit_within_text,
    "windows": weekly.windows_text,
    "windows that end": lambda text: weekly.windows_text(text, ends=True),
    "times": weekly.times_text,
    "times that end": lambda text: weekly.times_text(text, ends=True),
    "matchers": _matchers,
    "grant": _given,
    "deduction": _given,
    "breaks": lambda text: " ".join(map(str, breaks(" ".join(text.split())))),
    "applications": _applications,
    "lock": _lock,
    "PIN": _pin,
    "zone": _family_zone,
}


def _writer(kind: dict):
    if "words" in kind:
        return _words(*kind["words"])
    return _whole(kind["least"], kind["most"]) if "least" in kind else _FORMS[kind["form"]]


_KINDS = {kind["key"]: kind for kind in json.loads((PROTOCOL / "rule-kinds.json").read_text())["kinds"]}
_WRITERS = {key: _writer(kind) for key, kind in _KINDS.items()}
USUAL = {key: kind["usual"] for key, kind in _KINDS.items() if "usual" in kind}


def _pattern(key: str) -> str:
    """Return the key of a rule as the table has it; raise ValueError where what it is about is malformed."""
    match key.split("/"):
        case ["app", id_, what]:
            app_id(id_)
            return f"app/ID/{what}"
        case ["group", name, what]:
            app_id(name)
            return f"group/NAME/{what}"
        case ["category", category, what]:
            require(category in CATEGORIES, "no category")
            return f"category/CATEGORY/{what}"
        case ["today", date, what]:
            day(date)
            return f"today/DATE/{what}"
        case ["days", range_, what]:
            days(range_)
            return f"today/DATE/{what}"
        case ["today", date, "grant" | "less" as what, id_]:
            day(date), uuid_text(id_)
            return f"today/DATE/{what}/ID"
    return key


def rule(key: str):
    """Return the zones of a key, and the function that writes its value; None for an unknown key.
    """
    try:
        base, _, weekday = key.rpartition("/")
        if weekday in weekly.WEEKDAYS:
            return rule(base) if is_limit(base) else None
        pattern = _pattern(key)
    except ValueError:
        return None
    return (_KINDS[pattern]["zones"], _WRITERS[pattern]) if pattern in _KINDS else None


def is_limit(key: str) -> bool:
    """Tell whether a key is a limit of every day, beside which each weekday has its own limit."""
    try:
        return _KINDS.get(_pattern(key), {}).get("weekdays", False)
    except ValueError:
        return False


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
