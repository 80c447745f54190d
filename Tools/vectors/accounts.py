"""Lists of accounts, and their assignment with a machine, written from Protocol/10-household.md
section 3.
"""

import random

FILE = "accounts.json"

LOGINS, FULL = ["emma", "em2012", "tom", "TOM", "guest"], ["", "Emma Maier", "Tom", "EMMA", "\u00c4nne"]
NAMES, STATED = ["Emma", "Tom", "\u00e4nne"], [None, None, "Emma", "EMMA", "tom", "\u00c4nne", "Ben"]


def build():
    chance = random.Random(20_261_124)
    return {
        "about": "bodies of item kind 10 in hexadecimal with the accounts in them, null if the body is malformed; and what a parent "
        "assigns, by Protocol/10-household.md section 3",
        "lists": [*good(), *bad()],
        "assignments": [assignment(chance) for _ in range(96)],
    }


def good():
    """Return valid lists."""
    full = [account(uid, f"a{uid}", "", "Emma") for uid in range(1_000, 1_064)]
    for accounts in (
        [],
        [account(1_000, "em2012", "Emma Maier", "Emma"), account(1_001, "mum", "", None)],
        [account(1_000, "x", "", "\u00c4nne \U0001f380"), account(4_294_967_295, "y" * 64, "f" * 255, "n" * 64)],
        full,
    ):
        yield {"body": body(accounts).hex(), "accounts": accounts}


def bad():
    """Return malformed lists."""
    fine = account(1_000, "emma", "", "Emma")
    for accounts in (
        [account(uid, "emma", "", None) for uid in range(1_000, 1_065)],
        [account(uid, "emma", "", "Emma") for uid in range(1_000, 1_256)],
        [fine, account(1_000, "tom", "", "Tom")],
        [account(1_000, "", "", "Emma")],
        [account(1_000, "n" * 65, "", None)],
        [account(1_000, "emma", "f" * 256, None)],
        *([account(1_000, "emma", "", name)] for name in ("", "n" * 65, "\u00e4" * 33, "Em\u202ema", "Em\nma", "Em\u200bma")),
    ):
        yield {"body": body(accounts).hex(), "accounts": None}
    yield {"body": message(1, number(1, 1_000) + text(2, b"emma") + text(4, b"\xff")).hex(), "accounts": None}


def account(uid, name, full_name, stated):
    return {"uid": uid, "name": name, "fullName": full_name, "statedChild": stated}


def body(accounts):
    """Return accounts as a protobuf message."""
    done = b""
    for one in accounts:
        entry = number(1, one["uid"]) + text(2, one["name"].encode()) + text(3, one["fullName"].encode())
        if one["statedChild"] is not None:
            entry += message(4, one["statedChild"].encode())
        done += message(1, entry)
    return done


def varint(value):
    done = b""
    while value >= 128:
        done, value = done + bytes([value % 128 + 128]), value // 128
    return done + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value)


def message(field, content):
    return varint(field * 8 + 2) + varint(len(content)) + content


def text(field, content):
    return message(field, content) if content else b""


def assignment(chance):
    """Return a machine's accounts, the decisions of parents about them, the machine's child, and
    the assignments.
    """
    count = chance.choice([1, 1, 2, 3])
    accounts = [
        account(1_000 + number, chance.choice(LOGINS), chance.choice(FULL), chance.choice(STATED)) for number in range(count)
    ]
    names = chance.sample(NAMES, chance.choice([1, 1, 2, 3]))
    decided = [one["uid"] for one in accounts if chance.random() < 0.2]
    return {"accounts": accounts, "decided": decided, "names": names, "assigned": assigned(accounts, decided, names)}


def assigned(accounts, decided, names):
    """Return the numbers of the accounts that are assigned to each child."""
    chosen = []
    theirs = {one["uid"] for one in accounts for name in names if is_stated(one, name)}
    for name in names:
        stated = [one["uid"] for one in accounts if is_stated(one, name)]
        if stated:
            chosen.append([uid for uid in stated if uid not in decided])
            continue
        rest = [one for one in accounts if one["uid"] not in decided and one["uid"] not in theirs]
        fitting = [one["uid"] for one in rest if fits(one, name)]
        if not fitting and len(names) == 1 and len(accounts) == 1:
            fitting = [one["uid"] for one in rest]
        chosen.append(fitting if len(fitting) == 1 else [])
    every = [uid for uids in chosen for uid in uids]
    return [[uid for uid in uids if every.count(uid) == 1] for uids in chosen]


def is_stated(one, name):
    return one["statedChild"] is not None and one["statedChild"].lower() == name.lower()


def fits(one, name):
    full = one["fullName"].lower()
    return name.lower() in (one["name"].lower(), full, (full.split() or [""])[0])
