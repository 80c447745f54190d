"""Names of applications, and messages to children."""
import random

_MESSAGES = ("Dinner at six", "Grüße aus der Küche 🦊", "first line\nsecond line", "Hausaufgaben? " * 200, "x" * 4_000)
_CONTROL = ("\0 and more", "\x1b[2J and more", "\x9b2J and more")


def app_suffix(chance: random.Random) -> str:
    """Returns a suffix for the name of an application: usually none, sometimes one that must be
    refused.
    """
    return chance.choices(("", " – Schach 🦊", *_CONTROL), (80, 17, 1, 1, 1))[0]


def message(chance: random.Random) -> str:
    """Returns a message to a child; sometimes one that must be refused."""
    return chance.choices((*_MESSAGES, *_CONTROL), (*[18] * len(_MESSAGES), 1, 1, 1))[0]


def is_wrong(text: str) -> bool:
    """Returns whether a text contains control characters, and so must be refused."""
    return any(control in text for control in _CONTROL)
