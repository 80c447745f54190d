"""Decisions of a real child's machine under random rules, compared with this peer's.

Spec: Protocol/11-rules.md sections 1 to 5
"""

import os
import time
from random import Random

from . import decision
from .clock import wall
from .identity import PARENT
from .lab import Lab, equal, eventually, free_port
from .registers import CHILD as CHILD_ZONE
from .registers import FAMILY as FAMILY_ZONE
from .weekly import WEEKDAYS

_APPS = "org.example.Maths", "org.example.Chess", "org.example.Notes"
_ROUNDS = 25


def _window(random: Random) -> str:
    start = random.randrange(0, 1_440, 30)
    end = (start + random.randrange(30, 600, 30)) % 1_440 or 1_440
    return f"{start // 60:02}:{start % 60:02}-{end // 60:02}:{end % 60:02}"


def _schedule(random: Random) -> str:
    return random.choice([
        _window(random), f"mon-fri {_window(random)}", f"sat-sun {_window(random)}",
        "00:00-06:00, 06:00-11:00", "wed 22:00-23:00, sun 08:00-24:00",
    ])  # fmt: skip


def _limits(random: Random) -> str:
    return random.choice(["0", "60", "600", "1200", "1440", "none"])


def _hours(random: Random) -> str:
    limit = _limits(random)
    return limit if limit == "none" or random.random() < 0.4 else f"{limit} within {_window(random)}"


def _times(random: Random) -> str:
    return random.choice(["none", _window(random), "00:00-24:00"])


def _rules(random: Random, now: int) -> dict[tuple[int, str], str]:
    """Return rules of the family and of a child, by zone and key; some are malformed."""
    day = time.strftime("%Y-%m-%d", time.gmtime(now // 1_000 + random.randrange(-2, 3) * 86_400))
    soon = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(now // 1_000 + 7_200))
    grant = f"0190a3d2-0000-7000-8000-{random.randrange(10**12):012}"
    zone = random.choice(["UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Nowhere/Land"])
    found = {(FAMILY_ZONE, "family/zone"): zone, (FAMILY_ZONE, "family/dayStart"): str(random.randrange(24))}
    wished = [
        (f"app/{_APPS[0]}/category", "learning"), ("category/reward/rate", "2000"),
        ("schedule/school", _schedule(random)),
        (f"app/{_APPS[1]}/category", "reward"), (f"app/{_APPS[1]}/rate", random.choice(["0", "90000"])),
        (f"app/{_APPS[2]}/limit", _hours(random)), (f"app/{_APPS[2]}/allowed", random.choice(["yes", "no"])),
        (f"app/{_APPS[0]}/blocked", random.choice(["yes", "now", "no", "perhaps"])), (f"app/{_APPS[1]}/enabled", "no"),
        ("category/reward/limit", _limits(random)), ("category/neutral/weekly", random.choice(["0", "300", "10080"])),
        ("limits/daily", _limits(random)), *((f"limits/daily/{day}", _limits(random)) for day in ("mon", "sat", "sun")),
        (f"category/reward/limit/{random.choice(WEEKDAYS)}", _limits(random)), ("limits/weekly", random.choice(["0", "300", "9000"])),
        ("schedule/bedtime", _schedule(random)), ("schedule/rewardTimes", _schedule(random)),
        ("mode", random.choice(["points", "limits"])), ("points/use", random.choice(["payAsYouGo", "redeemFirst"])),
        (f"today/{day}/bedtime", _times(random)), (f"today/{day}/rewardTimes", _times(random)),
        (f"today/{day}/grant/{grant}", random.choice(["30", "90 reward", f"45 app:{_APPS[2]}", "0"])),
        ("lock", random.choice(["on", "off", "off", f"until {soon} now"])), ("limits/carryOver", random.choice(["0", "45"])),
        ("limits/breaks", random.choice(["1 240", "600 30"])),
        ("group/Blocks/members", "\n".join(sorted(random.sample(_APPS, 2)))), ("group/Blocks/limit", _hours(random)),
        ("group/Blocks/weekly", "200"), ("group/Blocks/category", "reward"), ("programs", random.choice(["all", "listed"])),
        (f"today/{day}/limit", _limits(random)), (f"days/2026-01-01..{day[:4]}-12-31/bedtime", _times(random)),
        (f"today/{day}/less/{grant}", random.choice(["30\nno", "20 reward"])),
    ]  # fmt: skip
    for key, value in random.sample(wished, random.randrange(2, len(wished))):
        of_child = key.startswith(("today/", "lock"))
        found[random.choice([CHILD_ZONE] if of_child else [CHILD_ZONE, FAMILY_ZONE]), key] = value
    return found


def decides_like_a_real_child(lab: Lab) -> None:
    """The peer, Emma's parent, sets rules, and her machine decides as this peer would."""
    seed = int(os.environ.get("LATCHKEY_PEER_SEED", time.time_ns() % 2**32))
    print(f"decides_like_a_real_child: seed {seed} (LATCHKEY_PEER_SEED repeats it)", flush=True)
    random = Random(seed)
    peer = lab.peer(PARENT, "Python parent")
    parent, household, port = peer.machine, peer.machine.household, peer.listen(free_port())
    pc = lab.node("child", "Emma's PC")
    pc.join(peer.invite(), port)
    (machine,) = eventually("it is in touch", lambda: list(parent.in_touch))
    emma = parent.add("Emma")
    parent.assign(machine, emma)
    parent.adjust(emma, 100_000, "a start")
    eventually("it has the points", lambda: household.purse(emma, machine) == 100_000)
    pc("usage", "track", "--app", _APPS[2], "--", "sleep", "1")
    eventually("its use arrives", lambda: household.stretches(emma))
    # Its agent would close whatever else the account that runs this has started, and count it.
    pc.end()
    pc.start("--no-agent")
    eventually("it is in touch again", lambda: list(parent.in_touch))
    set_before: set[tuple[int, str]] = set()
    for number in range(_ROUNDS):
        rules = _rules(random, wall())
        gone = set_before - rules.keys()
        changes = [*((place, None) for place in gone), *rules.items()]
        parent.edit(*((zone, emma if zone == CHILD_ZONE else b"", key, value) for (zone, key), value in changes))
        set_before = set(rules)
        queued = "select count(*) from command where status='queued'"
        eventually("it holds them", lambda: peer.store.one(queued)[0] == 0)
        what = {f"{zone} {key}": value for (zone, key), value in rules.items()}
        day = pc.json("me")
        held, at = household.rules(emma), day["at"]
        spent = held.use(household.stretches(emma))
        state = decision.State(at, held.days.day(at), spent, household.purse(emma, machine))
        state.presence = held.presence(household.stretches(emma))
        for app in day["apps"]:
            told, mine = app["verdict"], decision.decide(held, state, app["appID"])
            got = told["isAllowed"], told.get("rule"), told.get("until")
            wanted = mine.allowed, mine.reason, mine.until
            equal(got, wanted, f"round {number} of seed {seed}: {app['appID']} under {what}")
