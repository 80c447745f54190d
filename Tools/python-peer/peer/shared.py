"""What several children who share an account have in common: the values of registers, the waits
after wrong PINs, and what follows from several verdicts.

Spec: Protocol/10-household.md section 3, Protocol/11-rules.md section 5
"""

import nacl.exceptions
import nacl.pwhash

from .decision import Verdict
from .texts import require
from .values import uuid_text

NOBODY, MANY = "nobody", 5  # wrong PINs in a row, after which no PIN is taken for some time
_MOST_CHILDREN, _LONGEST, _MINUTE = 8, 15, 60_000
_LATE = 2**63  # no end


def owners(value: str) -> list[bytes]:
    """Read whose an account is: nobody's, or that of 1 to 8 children in the order of their IDs;
    raise ValueError for anything else.
    """
    if value == NOBODY:
        return []
    children = [uuid_text(word) for word in value.split(" ")]
    require(children == sorted(set(children)) and len(children) <= _MOST_CHILDREN, "children of the account")
    return children


def wait(count: int, last: int, now: int, is_this_boot: bool) -> int:
    """Return the milliseconds for which no PIN is taken after some wrong ones, the last of them at
    an instant of the boot clock; in another boot they run from its start.
    """
    minutes = min(_LONGEST, 2 ** min(count - MANY, _LONGEST)) if count >= MANY else 0
    since = min(last, now) if is_this_boot else 0
    return max(0, since + minutes * _MINUTE - now)


def is_pin(text: str, pin: str) -> bool:
    """Tell whether a PIN is the one of which the text of a register was made."""
    try:
        return nacl.pwhash.argon2id.verify(text.encode(), pin.encode())
    except nacl.exceptions.InvalidkeyError:
        return False


def strictest(verdicts: list[Verdict]) -> tuple[int, Verdict]:
    """Return what holds for a program while nobody is there, and the place of the child whose rule
    it is; the verdicts are in the order of the children's IDs.
    """
    closed = [place for place, verdict in enumerate(verdicts) if not verdict.allowed]
    if not closed:
        place = min(range(len(verdicts)), key=lambda at: _end(verdicts[at]))
        return place, verdicts[place]
    ends = [verdicts[place].until for place in closed]
    return closed[0], Verdict(False, verdicts[closed[0]].reason, None if None in ends else max(ends))


def mildest(verdicts: list[Verdict]) -> tuple[int, Verdict]:
    """Return what holds for sessions while nobody is there, and whose verdict it is: they close
    when they are closed for each child, and open again when they may for any.
    """
    opened = [place for place, verdict in enumerate(verdicts) if verdict.allowed]
    if opened:
        place = max(opened, key=lambda at: _end(verdicts[at]))
    else:
        place = min(range(len(verdicts)), key=lambda at: _end(verdicts[at]))
    return place, verdicts[place]


def category(categories: list[str]) -> str:
    """Return the category of a program by those that it has by the rules of each child."""
    return "reward" if "reward" in categories else "neutral"


def _end(verdict: Verdict) -> int:
    return _LATE if verdict.until is None else verdict.until
