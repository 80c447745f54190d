"""Limits and windows of a week, and the times of one day.

Spec: Protocol/11-rules.md section 1
"""

import re

from .texts import number, require

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY, _WEEK = 1_440, 7 * 1_440
_MOST_WINDOWS = 8

Window = tuple[int, int]  # minutes of the day; an end not after the start is on the next date


def _items(text: str) -> list[tuple[list[int], str]]:
    """Cut a text into items: the weekdays and what follows them."""
    items = []
    for part in text.lower().split(","):
        words = part.split()
        require(1 <= len(words) <= 2, "no item")
        items.append((_weekdays(words[0]) if len(words) == 2 else list(range(7)), words[-1]))
    return items


def _weekdays(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    require(first in WEEKDAYS and (not dash or last in WEEKDAYS), "no weekday")
    start, count = WEEKDAYS.index(first), 0
    if dash:
        count = (WEEKDAYS.index(last) - start) % 7
    return [(start + i) % 7 for i in range(count + 1)]


def _runs(days: list[int]) -> list[tuple[int, str]]:
    """Return the runs of consecutive days, each with its first day and its text."""
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    name = WEEKDAYS.__getitem__
    return [(run[0], name(run[0]) if len(run) == 1 else f"{name(run[0])}-{name(run[-1])}") for run in runs]


def limit(text: str) -> int | None:
    """Read the limit of one day: minutes, or None for no limit."""
    return None if text.lower() == "none" else number(text, 0, _DAY)


def limit_text(text: str) -> str:
    """Return a limit in its one form."""
    minutes = limit(text)
    return "none" if minutes is None else str(minutes)


def limit_within(text: str) -> tuple[int | None, Window | None]:
    """Read a limit that may have hours: minutes, None for no limit, and the hours, None for the
    whole day.
    """
    found = re.fullmatch(r" *([^ ]+) +within +([^ ]+) *", text, re.I | re.A)
    if not found:
        return limit(text), None
    minutes, window = number(found[1], 0, _DAY), _window(found[2])
    require(minutes <= length(window), "a limit that is longer than its hours")
    return minutes, window


def limit_within_text(text: str) -> str:
    """Return a limit that may have hours in its one form."""
    minutes, window = limit_within(text)
    return limit_text(text) if window is None else f"{minutes} within {_text(window)}"


def _window(text: str) -> Window:
    found = re.fullmatch(r"(\d\d?):(\d\d)-(\d\d?):(\d\d)", text, re.A)
    require(found is not None, "no window")
    hours, minutes, end_hours, end_minutes = map(int, found.groups())
    start, end = 60 * hours + minutes, 60 * end_hours + end_minutes
    require(minutes < 60 and end_minutes < 60 and start < _DAY and end <= _DAY, "no time of a day")
    end = end or _DAY
    require(start != end, "an empty window")
    return start, end


def length(window: Window) -> int:
    """Return the minutes of a window on a day without a change of clocks."""
    return (window[1] - window[0]) % _DAY or _DAY


def windows(text: str) -> list[list[Window]]:
    """Read windows: those that begin on each weekday, in the order of the clock."""
    week: list[list[Window]] = [[] for _ in range(7)]
    for days, value in _items(text):
        for day in days:
            week[day].append(_window(value))
    spans = sorted(
        (day * _DAY + start, length((start, end))) for day in range(7) for start, end in week[day]
    )
    for (start, minutes), (following, _) in zip(spans, [*spans[1:], (spans[0][0] + _WEEK, 0)], strict=True):
        require(start + minutes <= following, "windows that overlap")
    require(all(len(day) <= _MOST_WINDOWS for day in week), "too many windows of a day")
    return [sorted(day) for day in week]


def windows_text(text: str, ends: bool = False) -> str:
    """Return windows in their one form; with `ends`, refuse windows that leave no minute of the
    week.
    """
    week = windows(text)
    require(not ends or sum(length(window) for day in week for window in day) < _WEEK, "it never ends")
    found = []
    for window in {window for day in week for window in day}:
        runs = _runs([day for day in range(7) if window in week[day]])
        found += [(first, window, run) for first, run in runs]
    return ", ".join(
        (f"{run} " if run != "mon-sun" else "") + _text(window) for _, window, run in sorted(found)
    )


def _text(window: Window) -> str:
    start, end = window
    return f"{start // 60:02}:{start % 60:02}-{end // 60:02}:{end % 60:02}"


def times(text: str) -> list[Window]:
    """Read the windows of one day, in the order of the clock."""
    if text.strip().lower() == "none":
        return []
    found = sorted(_window(part.strip()) for part in text.split(","))
    require(len(found) <= _MOST_WINDOWS, "too many windows")
    for one, following in zip(found, [*found[1:], (found[0][0] + _DAY, 0)], strict=True):
        require(one[0] + length(one) <= following[0], "windows that overlap")
    return found


def times_text(text: str, ends: bool = False) -> str:
    """Return the times of one day in their one form; with `ends`, refuse times that leave nothing
    of the day.
    """
    found = times(text)
    require(not ends or sum(map(length, found)) < _DAY, "it never ends")
    return ", ".join(map(_text, found)) or "none"
