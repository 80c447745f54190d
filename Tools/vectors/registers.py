"""The merge of registers, and the effect of edits on a child's machine.

Written from Protocol/10-household.md section 2.
"""

import random
import uuid

FILE = "registers.json"

OWN, OTHER = "0f" * 20, "aa" * 20
MUM, DAD = "01" * 20, "02" * 20
EMMA, TOM = bytes([0xE1] * 16), bytes([0xA2] * 16)
FAMILY, CHILD, MACHINE = 1, 2, 3
KEYS = ["lock", "mode", "app/org.gnome.Chess/blocked", "later/key"]
VALUES = ["on", "off", "yes", "yes\nno", "\u00e9", "z", "", None]


def build():
    chance = random.Random(20_261_123)
    return {
        "about": "merge and edits of Protocol/10-household.md section 2; IDs in hexadecimal, value null if deleted",
        "merge": [merge(chance) for _ in range(16)],
        "machine": OWN,
        "edits": [edit(chance) for _ in range(48)],
    }


def order(register):
    at, value = register["modified"], register["value"]
    author = bytes.fromhex(at["author"])
    return at["wall"], at["counter"], author, value is not None, (value or "").encode()


def place(register):
    return register["zone"], bytes.fromhex(register["zoneID"]), register["key"].encode()


def taken(held, register):
    """Return the registers after one has arrived."""
    present = held.get(place(register))
    return held if present and order(present) >= order(register) else held | {place(register): register}


def listed(held):
    return [held[where] for where in sorted(held)]


def register(chance, zone, zone_id, key, value, author, wall=None):
    at = {"wall": chance.randrange(4) if wall is None else wall, "counter": chance.randrange(2), "author": author}
    return {"zone": zone, "zoneID": zone_id, "key": key, "value": value, "modified": at}


def some(chance, author, machine=OWN, wall=None):
    zone, zone_id = chance.choice([(FAMILY, ""), (CHILD, EMMA.hex()), (CHILD, TOM.hex()), (MACHINE, machine)])
    if zone == MACHINE:
        child = chance.choice([EMMA, TOM])
        key = chance.choice([f"child/{uuid.UUID(bytes=child)}", "account/1000"])
        return register(chance, zone, zone_id, key, chance.choice(["yes", "yes", None]), author, wall)
    return register(chance, zone, zone_id, chance.choice(KEYS), chance.choice(VALUES), author, wall)


def merge(chance):
    edits, held = [some(chance, chance.choice([MUM, DAD])) for _ in range(chance.randrange(2, 16))], {}
    for one in edits:
        held = taken(held, one)
    return {"edits": edits, "held": listed(held)}


def served(held):
    keys = [one["key"] for one in held.values() if one["zone"] == MACHINE and one["value"] == "yes"]
    return {uuid.UUID(key.partition("/")[2]).hex for key in keys if key.startswith("child/")}


def edit(chance):
    held = {}
    for child in chance.sample([EMMA, TOM], chance.randrange(3)):
        held = taken(held, register(chance, MACHINE, OWN, f"child/{uuid.UUID(bytes=child)}", "yes", MUM))
    for one in [some(chance, chance.choice([MUM, DAD]), wall=chance.randrange(2, 7)) for _ in range(chance.randrange(2, 9))]:
        if one["zone"] != MACHINE and (one["zone"] != CHILD or one["zoneID"] in served(held)):
            held = taken(held, one)
    wanted = {}
    for _ in range(chance.randrange(1, 4)):
        one = some(chance, MUM, OTHER if chance.random() < 0.04 else OWN)
        if chance.random() < 0.04:
            one["modified"]["author"] = DAD
        wanted[place(one)] = one
    wanted = list(wanted.values())
    outcome, state, after = effect(held, wanted)
    return {"before": listed(held), "author": MUM, "edit": wanted, "outcome": outcome, "state": state, "after": listed(after)}


def effect(held, wanted):
    later = held
    for one in wanted:
        later = taken(later, one)
    children = served(later)
    for one in wanted:
        foreign = one["zone"] == MACHINE and one["zoneID"] != OWN or one["zone"] == CHILD and one["zoneID"] not in children
        if foreign or one["modified"]["author"] != MUM:
            return "failed", None, held
    state = [later[place(one)] for one in wanted]
    outcome = "executed" if any(one == now for one, now in zip(wanted, state)) else "superseded"
    return outcome, state, {
        where: one for where, one in later.items() if one["zone"] != CHILD or one["zoneID"] in children}
