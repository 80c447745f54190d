"""Rules, merge, decisions and ledgers, from the implementation in household.py."""

import datetime
import random

import household

FILE = "rules.json"

KEYS = {
    "app/org.gnome.Chess/category": ["reward", "Learning", "neutral", "fun", "reward 2000"],
    "app/org.gnome.Chess/rate": ["2000", "0", "1000000000", "1000000001", "-1", "2.5"],
    "app/org.gnome.Chess/limit": ["90", "0", "1440", "none", "None", "1441", "09", "mon 5", "mon-fri 90"],
    "app/org.gnome.Chess/limit/sat": ["120", "none", "60 WITHIN  9:00-12:00"],
    "group/Blocks/limit/mon": [
        "60 within 16:00-20:00", "0 within 22:00-02:00", "60 within 16:00-00:00", "none within 16:00-20:00", "60 within",
        "60 within 16:00-16:00", "1441 within 16:00-20:00", "60 in 16:00-20:00", "within 16:00-20:00", "60 within mon 16:00-20:00",
        "240 within 16:00-20:00", "241 within 16:00-20:00", "300 within 20:00-01:00", "301 within 20:00-01:00", "1440 within 06:00-06:00",
        "1440 within 00:00-24:00"],
    "category/learning/limit": ["60 within 16:00-20:00"],
    "app/org.gnome.Chess/hours": ["mon-fri 15:00-18:00", "Sat 9:00-12:00", "15:00-15:00"],
    "limits/daily/mon": ["60", "NONE", "sat 60"],
    "group/Blocks/members": ["game\nbook", "game\ngame\n", "", "a b", "latchkey.other"], "group/Blocks/limit": ["60"],
    "category/reward/limit/sun": ["0", "1441"],
    "schedule/bedtime": [
        "20:00-07:00", "sun-thu 20:00-7:00, fri-sat 21:00-8:00", "20:00-20:00", "20:00-07:00, sat 21:00-08:00", "00:00-24:00",
        "00:00-12:00, 12:00-24:00", "sun 20:00-07:00, mon 06:00-06:30", "sat 22:00-00:00"],
    "schedule/school": ["mon-fri 8:00-12:00, mon-fri 13:00-14:00", "monday 8:00-9:00"],
    "today/2026-11-22/bedtime": ["22:00-07:00", "none", "mon 22:00-07:00", "00:00-24:00"],
    "today/2026-11-22/limit": ["60", "none", "1441", "mon 60"],
    "days/2026-12-23..2027-01-06/school": ["none", "8:00-12:00", "mon 8:00-12:00"],
    "today/2026-11-22/grant/0190a3d2-0000-7000-8000-000000000001": [
        "30", "30 reward", "5 app:game", "0", "1441", "5 fun",
        "30\ntidied up", "15 app:game\nhomework is done", "30\n", "30\nfirst\nsecond"],
    "today/2026-11-22/less/0190a3d2-0000-7000-8000-000000000001": [
        "30", "30 reward\nrude at dinner", "5 app:game", "0", "-30", "30\n", "30\nfirst\nsecond"],
    "lock": ["on", "off", "until 2026-11-22T18:30Z", "until 2026-02-30T00:00Z", "until 2026-11-22T24:00Z", "yes",
             "on now", "until 2026-11-22T18:30Z now", "off now", "now", "on  now now"],
    "app/org.gnome.Chess/blocked": ["yes", "now", "no", "later"], "group/Blocks/blocked": ["now"],
    "limits/carryOver": ["0", "1440", "1441", "1h"],
    "limits/breaks": ["45 10", "45  10", "1440 240", "0 10", "45 241", "1441 10", "45", "45 10 5", "045 10"],
    "limits/weekly": ["600", "10080", "10081", "1.5"],
    "screenTime/grace": ["60", "1", "240", "0", "241", "1h"],
    "app/org.gnome.Chess/grace": ["0", "5", "300", "301", "60s"],
}

# The kinds of words and whole numbers of which no key above is one: each word, and both ends of the numbers.
ABOUT = {"ID": "org.gnome.Chess", "NAME": "Blocks", "CATEGORY": "reward"}
SAMPLED = {household.kind(key)["key"] for key in KEYS if household.kind(key)}
for entry in household.TABLE["kinds"]:
    place = "/".join(ABOUT.get(part, part) for part in entry["key"].split("/"))
    if entry["key"] in SAMPLED or household.kind(place) is not entry:
        continue
    if "words" in entry:
        KEYS[place] = [*entry["words"], entry["words"][0] + "s"]
    elif "least" in entry:
        KEYS[place] = [str(number) for number in (entry["least"], entry["most"], entry["least"] - 1, entry["most"] + 1)]

RULES = [
    ("child", "app/game/category", ["reward"]), ("child", "app/game/rate", ["2000", "0"]), ("family", "app/book/category", ["learning"]),
    ("child", "app/game/limit", ["60", "none", "0"]), ("child", "app/tool/allowed", ["yes"]),
    ("family", "app/bad/blocked", ["yes"]), ("family", "app/bad/enabled", ["no", "yes"]),
    ("family", "category/reward/limit", ["45"]), ("family", "category/reward/limit/sat", ["120"]), ("child", "category/reward/limit", ["90"]),
    ("family", "category/reward/weekly", ["200"]), ("family", "category/reward/rate", ["500"]),
    ("child", "limits/daily", ["90", "1440", "none", "0120"]), ("child", "limits/weekly", ["500", "0", "10080"]),
    ("family", "limits/daily", ["70"]), ("family", "limits/daily/sun", ["15", "none"]),
    *[("child", f"limits/daily/{day}", ["0", "30", "none"]) for day in ("mon", "sat", "sun")],
    ("child", "schedule/bedtime", ["20:00-07:00", "mon-thu 20:00-07:00, fri-sat 22:30-09:00", "02:00-03:00"]),
    ("child", "schedule/school", ["mon-fri 08:00-13:00"]),
    ("family", "schedule/rewardTimes", ["14:00-19:00", "sat 00:00-24:00, sun 00:00-24:00"]),
    ("child", "lock", ["off", "on", "until 2026-10-25T05:00Z"]), ("family", "mode", ["limits", "points"]),
    ("family", "points/use", ["payAsYouGo", "redeemFirst"]), ("child", "later/version", ["5"]),
    ("child", "today/DAY/bedtime", ["22:00-07:00", "00:30-06:00", "none"]), ("child", "today/DAY/rewardTimes", ["10:00-11:00"]),
    ("child", "today/DAY/grant/0190a3d2-0000-7000-8000-000000000001", ["30", "20 reward", "10 app:game"]),
    ("child", "today/BEFORE/grant/0190a3d2-0000-7000-8000-000000000002", ["45"]),
    ("family", "family/dayStart", ["0", "4", "23"]),
]

DATED = [
    ("child", "today/DAY/limit", ["30", "none", "0"]), ("family", "today/NEXT/limit", ["20", "none"]),
    ("family", "days/BEFORE..NEXT/bedtime", ["23:00-06:00", "none"]), ("family", "days/BEFORE..DAY/school", ["none", "09:00-10:00"]),
    ("child", "days/DAY..NEXT/limit", ["100"]), ("child", "days/BEFORE..DAY/limit", ["50", "none"]),
    ("child", "days/DAY..NEXT/rewardTimes", ["none", "12:00-20:00"]), ("family", "today/DAY/bedtime", ["21:00-05:00"]),
    ("family", "days/DAY..BEFORE/limit", ["1"]), ("family", "days/DAY..NEXT/name", ["Holidays"]),
]

GROUPS = [
    ("family", "group/Blocks/members", ["game\ntool", "game", "bad\nbook\ngame\ntool"]), ("child", "group/Blocks/limit", ["60", "0", "1440"]),
    ("family", "group/Blocks/limit/sat", ["10", "none"]), ("child", "group/Blocks/weekly", ["90", "400"]),
    ("child", "group/Blocks/hours", ["15:00-18:00"]), ("child", "group/games/members", ["game\nnew", "book"]),
    ("child", "group/games/blocked", ["yes", "no"]), ("child", "group/games/allowed", ["yes"]), ("family", "group/Blocks/allowed", ["yes", "no"]),
    ("child", "group/games/category", ["learning", "neutral"]), ("child", "group/Blocks/category", ["reward"]),
    ("child", "group/games/rate", ["4000"]), ("child", "group/Blocks/rate", ["3000"]), ("family", "group/empty/limit", ["0"]),
    ("child", "group/games/limit", ["20"]), ("child", "app/game/enabled", ["yes", "no"]), ("family", "programs", ["all", "listed"]),
]

WITHIN = [
    ("child", "app/game/limit", ["60 within 15:00-19:00", "30 within 22:00-04:00", "90 within 00:00-24:00", "0 within 02:00-03:00"]),
    ("family", "app/game/limit/sat", ["10 within 00:00-03:00", "none", "45"]), ("family", "app/tool/limit", ["20 within 12:00-23:00"]),
    ("family", "app/game/limit/mon", ["40 within 18:00-20:00"]), ("child", "app/tool/limit/sun", ["25 within 23:00-01:30", "0"]),
    ("family", "group/Blocks/members", ["game\ntool", "bad\ngame"]), ("child", "group/Blocks/limit", ["45 within 14:00-16:30", "0 within 21:00-22:00"]),
    ("family", "group/Blocks/limit/sun", ["60 within 01:00-04:00"]), ("child", "group/Blocks/weekly", ["400"]),
    ("child", "today/DAY/less/0190a3d2-0000-7000-8000-000000000007", ["15 app:game"]),
]

LESS = [
    ("child", "today/DAY/less/0190a3d2-0000-7000-8000-000000000005", ["30\nrude at dinner", "10 reward", "90 app:game", "1440"]),
    ("child", "today/BEFORE/less/0190a3d2-0000-7000-8000-000000000006", ["45", "5 learning\nno"]), ("family", "limits/carryOver", ["30"]),
]

NOW = [
    ("child", "lock", ["on now", "until 2026-10-25T05:00Z now", "until 2026-11-23T18:00Z now", "off"]), ("child", "app/bad/blocked", ["now"]),
    ("family", "app/game/blocked", ["now", "no"]), ("family", "group/Blocks/members", ["book\ntool"]), ("child", "group/Blocks/blocked", ["now", "no"]),
]

CARRIED = [
    ("family", "limits/carryOver", ["60", "1440", "0"]), ("child", "limits/daily", ["90", "30"]), ("child", "limits/daily/wed", ["none", "0"]),
    ("family", "days/BEFORE..DAY/limit", ["45"]), ("child", "today/NEXT/limit", ["60", "none"]), ("child", "today/BEFORE/grant/0190a3d2-0000-7000-8000-000000000004", ["20"]),
]

BREAKS = [
    ("family", "limits/breaks", ["45 10", "20 120"]), ("child", "limits/breaks", ["30 5", "120 30", "1440 240"]),
]

LISTED = [
    ("family", "programs", ["listed"]), ("child", "programs", ["all", "listed"]), ("child", "app/bad/category", ["neutral"]),
    ("child", "app/tool/enabled", ["no"]), ("family", "app/org.kde.gcompris/limit", ["30"]),
]

UNKNOWN = [
    ("child", "unknownPrograms", ["count", "reward", "block"]), ("family", "category/reward/limit", ["20"]),
    ("child", f"app/{household.UNKNOWN}/blocked", ["yes"]), ("family", f"app/{household.UNKNOWN}/category", ["learning"]),
    ("child", "today/DAY/grant/0190a3d2-0000-7000-8000-000000000003", [f"15 app:{household.UNKNOWN}"]),
    ("child", f"app/{household.OTHER}/allowed", ["yes"]), ("child", f"app/{household.SCREEN}/blocked", ["yes"]), ("family", "category/neutral/limit", ["25"]),
]

HOURS = [
    ("child", "app/tool/hours", ["mon-fri 15:00-18:00, sat-sun 09:00-20:00", "00:00-02:00"]),
    ("family", "app/game/hours", ["20:00-01:00"]),
]

TIMES = [
    1_774_738_800_000,  # 2026-03-28T23:00Z, the night in which clocks go forward in Berlin
    1_774_746_000_000, 1_792_879_200_000,  # and those in which they go back
    1_792_886_400_000, 1_792_890_000_000, 1_795_446_000_000, 1_795_460_400_000, 1_795_374_000_000,
]


def build() -> dict:
    chance = random.Random(11)
    return {
        "about": "rules, decisions and ledgers of Protocol/11-rules.md; times in milliseconds",
        "values": [value(key, typed) for key, texts in KEYS.items() for typed in texts],
        "merge": [merge(chance) for _ in range(12)],
        "decisions": [decision(chance) for _ in range(80)]
        + [decision(random.Random(seed), UNKNOWN, [household.UNKNOWN, household.OTHER]) for seed in range(12)]
        + [decision(random.Random(seed), HOURS) for seed in range(8)]
        + [decision(random.Random(seed), DATED) for seed in range(16)]
        + [decision(random.Random(seed), GROUPS, ["new"]) for seed in range(40)]
        + [decision(random.Random(seed), WITHIN) for seed in range(60)]
        + [decision(random.Random(seed), LESS) for seed in range(12)]
        + [decision(random.Random(seed), CARRIED) for seed in range(24)]
        + [decision(random.Random(seed), BREAKS) for seed in range(32)]
        + [decision(random.Random(seed), NOW) for seed in range(12)]
        + [decision(random.Random(seed), LISTED, [household.UNKNOWN, household.OTHER]) for seed in range(8)],
        "use": [use(random.Random(seed)) for seed in range(8)],
        "ledger": [ledger(chance) for _ in range(10)],
    }


def use(chance):
    family = household.Family(chance.choice(["Europe/Berlin", "UTC"]), chance.choice([0, 4]))
    start, free = 1_792_839_600_000, chance.random() < 0.5  # around the night in which clocks go back in Berlin
    apps = [("game", "reward"), ("book", "learning"), ("tool", "neutral"), (household.OTHER, "neutral"), (household.SCREEN, "neutral")]
    stretches, found, measures = [], {}, chance.random() < 0.7
    for _ in range(14):
        app, category = chance.choice(apps if measures else apps[:-1])
        begins, length = start + chance.randrange(48 * 60) * 60_000, chance.randrange(180) * 60_000
        stretches.append({"app": app, "category": category, "start": begins, "milliseconds": length})
        at = begins
        while at < begins + length:
            day = family.day(at)
            end = min(begins + length, family.start(household.later(day, 1)))
            found.setdefault(str(day), []).append((at, end, app, category))
            at = end
    length = lambda parts: sum(end - begin for begin, end in household.union([part[:2] for part in parts]))
    groups = {"Blocks": ["game", "tool"], "none": ["new"]}
    limits = {"game": "60 within 20:00-04:00", "Blocks": "60 within 01:00-02:30"}

    def within(day, what, parts):
        """The time of parts of a day within the hours of a limit."""
        hours = household.limit_within(limits[what])[1]
        spans = household.stretches(family, [[hours]] * 7, {}, datetime.date.fromisoformat(day))
        found = [(max(one[0], start), min(one[1], stop)) for one in parts for start, stop in spans]
        return length([one for one in found if one[0] < one[1]])

    days = {day: {
        "appsWithin": {"game": within(day, "game", [p for p in parts if p[2] == "game"])},
        "groupsWithin": {"Blocks": within(day, "Blocks", [p for p in parts if p[2] in groups["Blocks"]])},
        "screen": length([part for part in parts if not (free and part[3] == "learning")]),
        "categories": {name: length([p for p in parts if p[3] == name and p[2] != household.SCREEN]) for name in household.CATEGORIES},
        "groups": {name: length([p for p in parts if p[2] in apps]) for name, apps in groups.items()},
        "apps": {app: length([p for p in parts if p[2] == app]) for app in sorted({p[2] for p in parts} - {household.SCREEN})},
    } for day, parts in sorted(found.items())}
    measured = {day for day, parts in found.items() if any(part[2] == household.SCREEN for part in parts)}
    present = [part[:2] for day, parts in found.items() for part in parts if part[2] == household.SCREEN or part[3] == "reward"
               or day not in measured and not (free and part[3] == "learning")]
    return {"zone": str(family.zone), "dayStart": family.hour, "learningIsFree": free, "groups": groups, "limits": limits, "stretches": stretches,
            "days": days, "presence": [list(one) for one in household.union(present)]}


def value(key, typed):
    read, write = household.codec(key)
    try:
        stored = write(read(typed))
    except household.Fault:
        stored = None
    return {"key": key, "typed": typed, "stored": stored}


def merge(chance):
    edits = []
    for _ in range(chance.randrange(2, 14)):
        edits.append({
            "key": chance.choice(["lock", "mode", "later/key"]), "value": chance.choice(["on", "off", None]),
            "wall": chance.randrange(3), "counter": chance.randrange(2), "author": chance.choice(["00", "01"]) * 20})
    held = {}
    order = lambda edit: (edit["wall"], edit["counter"], edit["author"], edit["value"] is not None, edit["value"] or "")
    for edit in edits:
        if edit["key"] not in held or order(edit) > order(held[edit["key"]]):
            held[edit["key"]] = edit
    return {"edits": edits, "held": [held[key] for key in sorted(held)]}


def decision(chance, more=(), others=()):
    zone = chance.choice(["Europe/Berlin", "UTC", "America/New_York"])
    time = chance.choice(TIMES) + chance.randrange(86_400) * 1000
    chosen = [(where, key, chance.choice(values)) for where, key, values in RULES if chance.random() < (0.08 if key == "lock" else 0.3)]
    chosen += [(where, key, chance.choice(values)) for where, key, values in more if chance.random() < 0.7]
    chance.shuffle(chosen)  # the order of the edits
    hour = next((int(text) for _, key, text in chosen if key == "family/dayStart"), 0)
    family = household.Family(zone, hour)
    day = family.day(time)
    before = household.later(day, -1)
    registers = [("family", "family/zone", zone)] + [
        (where, key.replace("DAY", str(day)).replace("BEFORE", str(before)).replace("NEXT", str(household.later(day, 1))), text) for where, key, text in chosen]
    apps = ["bad", "book", "game", "tool", *others]
    use = {}
    for offset in range(-6, 2):
        if chance.random() < 0.3:
            use[str(household.later(day, offset))] = {
                "screen": chance.randrange(7_200_000),
                "categories": {name: chance.randrange(3_600_000) for name in household.CATEGORIES},
                "apps": {"game": chance.randrange(3_600_000)},
                "groups": {"Blocks": chance.randrange(7_200_000), "games": chance.randrange(3_600_000)} if more is GROUPS else {},
                **({"appsWithin": {"game": chance.randrange(3_600_000), "tool": chance.randrange(1_800_000)},
                    "groupsWithin": {"Blocks": chance.randrange(3_600_000)}} if more is WITHIN else {})}
    situation = {
        "boot": chance.randrange(10**9), "time": time, "day": str(day), "use": use,
        "presence": presence(chance, time) if more is BREAKS else [],
        "spendable": chance.choice([0, 1, chance.randrange(90_000)]),
        "redeemed": [[chance.randrange(3_600_000), str(household.later(day, chance.randrange(-1, 2)))]
                     for _ in range(chance.randrange(3))],
        "running": [name for name in apps if chance.random() < 0.4], "apps": apps}
    verdicts = household.decide(household.rules(registers), situation)
    named = [{"zone": where, "key": key, "value": text} for where, key, text in registers]
    return {"registers": named, **situation, "verdicts": verdicts}


def presence(chance, time):
    """Times of use: mostly short pauses and long stretches before the present, some of them long ago."""
    found, at = [], time + chance.randrange(-20, 6) * 60_000
    for _ in range(chance.randrange(7)):
        start = at - chance.randrange(1, 90) * 60_000
        found.append((start, at))
        at = start - chance.choice([chance.randrange(1, 12), chance.randrange(1, 900)]) * 60_000
    return [list(one) for one in household.union(found)]


def ledger(chance):
    devices = [bytes([number] * 20).hex() for number in (1, 2, 3)]
    texts = []
    for _ in range(chance.randrange(3, 20)):
        kind = chance.choice(["earned", "earned", "spent", "granted", "adjusted", "leased", "refunded", "used", "repeated"])
        amount = chance.randrange(50_000)
        amount = {"spent": -amount, "leased": -amount, "repeated": -amount, "used": 0}.get(kind, amount)
        at, quantity = (chance.randrange(300), chance.randrange(200)) if kind == "earned" else (5, 0)
        purse = chance.choice(devices)
        other = chance.choice([one for one in devices if one != purse]) if kind == "leased" else "-"
        source = f"{chance.randrange(6):032x}"
        texts.append(f"{kind} {source} {purse} {amount} 2026-11-23 {at} {other} {quantity} - - {chance.choice(['', 'a note'])}")
    held, balance, purses = household.ledger(texts)
    return {
        "entries": texts, "held": held, "balance": balance, "purses": purses, "repeats": household.repeats(held),
    }
