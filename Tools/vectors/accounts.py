"""The assignment of accounts with a machine, written from Protocol/10-household.md section 3."""

import random

FILE = "accounts.json"

LOGINS, FULL = ["emma", "em2012", "tom", "TOM", "guest"], ["", "Emma Maier", "Tom", "EMMA", "\u00c4nne"]
NAMES, STATED = ["Emma", "Tom", "\u00e4nne"], [None, None, "Emma", "EMMA", "tom", "\u00c4nne", "Ben"]


def build():
    chance = random.Random(20_261_124)
    return {
        "about": "the accounts of a machine, and which a parent assigns, by Protocol/10-household.md section 3",
        "assignments": [assignment(chance) for _ in range(96)],
    }


def account(uid, name, full_name, stated):
    return {"uid": uid, "name": name, "fullName": full_name, "statedChild": stated}


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
