"""The kinds of texts, and the numbers, days and IDs in them.

Spec: Protocol/06-messages.md section 1, Protocol/12-facts.md section 1
"""

import re
import unicodedata
from datetime import date

_TURNS = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
WORD, LONGEST_ID, LONGEST_LINE, LONGEST_PARAGRAPHS = re.compile("[A-Za-z0-9-]{1,64}"), 255, 1_024, 4_096


def size(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def is_line(text: str, least: int, most: int) -> bool:
    """Tell whether a text is a *line* of so many bytes."""
    fits = all(unicodedata.category(c) not in ("Cc", "Zl", "Zp", "Cs") and ord(c) not in _TURNS for c in text)
    return fits and least <= size(text) <= most


def is_paragraphs(text: str, least: int, most: int) -> bool:
    """Tell whether a text is *paragraphs* of so many bytes: a line that may be broken by U+000A."""
    return is_line(text.replace("\n", " "), least, most)


def is_visible(text: str, least: int, most: int) -> bool:
    """Tell whether a text is *visible* and of so many bytes."""
    return least <= size(text) <= most and all(unicodedata.category(c) not in _HIDDEN for c in text)


def is_word(text: str, least: int = 1, most: int = LONGEST_ID) -> bool:
    """Tell whether a text is a *word* of so many bytes, as application IDs are."""
    return is_visible(text, least, most) and all(unicodedata.category(c) != "Zs" for c in text)


def is_zone(text: str) -> bool:
    """Tell whether a text has the form of a time zone's name."""
    return size(text) <= 64 and re.fullmatch("[A-Za-z0-9+_-]+(/[A-Za-z0-9+_-]+)*", text) is not None


def number(text: str, least: int, most: int) -> int:
    """Read a whole number in its one form; raise ValueError for anything else."""
    sign, digits = ("-", text[1:]) if text.startswith("-") and least < 0 else ("", text)
    if not re.fullmatch("0|[1-9][0-9]{0,18}", digits) or (sign and digits == "0"):
        raise ValueError(f"no number: {text!r}")
    value = int(sign + digits)
    if not least <= value <= most:
        raise ValueError(f"out of range: {text!r}")
    return value


def days(text: str) -> tuple[date, date]:
    """Read several days on end: the first and the last; raise ValueError for anything else."""
    first, dots, last = text.partition("..")
    require(dots == "..", "no days")
    found = day(first), day(last)
    require(0 < (found[1] - found[0]).days < 366, "days")
    return found


def day(text: str) -> date:
    """Read a family's day; raise ValueError for anything else."""
    if not re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(f"no day: {text!r}")
    return date.fromisoformat(text)


def digits(text: str, count: int) -> bytes:
    """Read an ID of so many bytes in lower-case hexadecimal; raise ValueError for anything else."""
    if not re.fullmatch(f"[0-9a-f]{{{2 * count}}}", text):
        raise ValueError(f"no ID: {text!r}")
    return bytes.fromhex(text)


def require(holds: bool, what: str) -> None:
    """Raise ValueError unless a condition holds."""
    if not holds:
        raise ValueError(what)
