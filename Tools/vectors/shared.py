"""Accounts that several children share, written from Protocol/10-household.md section 3 and
11-rules.md section 5."""

import random
import uuid

FILE = "shared.json"


def build():
    chance = random.Random(20_261_128)
    ids = sorted(str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(9))
    return {
        "about": "accounts that several children share: the values of registers, the waits after wrong PINs, and what "
        "follows from the verdicts for the children, by Protocol/10-household.md section 3 and 11-rules.md section 5",
        "owners": [{"value": text, "children": owners(text)} for text in texts(chance, ids)],
        "waits": [
            wait(count, chance.choice(["a", "b"]), chance.randrange(2_000_000), chance.randrange(2_000_000))
            for count in [*range(1, 12), 64]
            for _ in range(4)
        ],
        "verdicts": [shared([verdict(chance) for _ in range(chance.randint(1, 4))]) for _ in range(60)],
    }


def texts(chance, ids):
    """Return values of registers that say whose an account is, valid and invalid."""
    yield from ["nobody", "", "Nobody", "emma", ids[0], ids[0] + " ", " ".join(ids), f"{ids[0]}  {ids[1]}"]
    yield from [f"{ids[1]} {ids[0]}", f"{ids[0]} {ids[0]}", f"{ids[0]} {ids[1].replace('-', '')}", f"nobody {ids[0]}"]
    for _ in range(12):
        yield " ".join(sorted(chance.sample(ids, chance.randint(2, 8))))


def owners(text):
    """Return the children of an account; None for a value of another form."""
    if text == "nobody":
        return []
    words = text.split(" ")
    try:
        if len(words) > 8 or any(str(uuid.UUID(word)) != word for word in words):
            return None
    except ValueError:
        return None
    return words if all(left < right for left, right in zip(words, words[1:])) else None


def wait(count, boot, last, now):
    """Return for how long no PIN is taken, in milliseconds, after wrong ones in the boot `a`."""
    whole = 0 if count < 5 else min(900_000, 60_000 * 2 ** (count - 5))
    passed = now - last if boot == "a" else now
    return {"count": count, "last": last, "boot": boot, "now": now, "wait": min(whole, max(0, whole - passed))}


def verdict(chance):
    """Return a verdict on one program of one child, decided at 1,000,000 ms of the boot clock."""
    return {
        "allowed": chance.random() < 0.6,
        "until": chance.choice([None, 1_000_000 + chance.randrange(1, 6) * 60_000]),
        "category": chance.choice(["learning", "reward", "neutral"]),
    }


def shared(verdicts):
    """Add what holds for the program, and for sessions, while nobody is named."""
    places = range(len(verdicts))
    until = [one["until"] if one["until"] is not None else float("inf") for one in verdicts]
    closed = [place for place in places if not verdicts[place]["allowed"]]
    opened = [place for place in places if verdicts[place]["allowed"]]
    if closed:
        strictest, when = closed[0], max(until[place] for place in closed)
    else:
        strictest = min(places, key=lambda place: (until[place], place))
        when = until[strictest]
    mildest = (
        max(opened, key=lambda place: (until[place], -place))
        if opened
        else min(places, key=lambda place: (until[place], place))
    )
    category = "reward" if any(one["category"] == "reward" for one in verdicts) else "neutral"
    return {
        "verdicts": verdicts,
        "strictest": {
            "place": strictest, "allowed": not closed, "until": None if when == float("inf") else when,
            "category": category,
        },
        "mildest": {"place": mildest, "allowed": bool(opened), "until": verdicts[mildest]["until"]},
    }
