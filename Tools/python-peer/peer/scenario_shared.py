"""The peer as a child's machine with an account that two children share."""

import json
import os
import pwd

from .faults import NotNamed
from .identity import CHILD
from .lab import Lab, RealNode, equal, eventually
from .node import Node
from .scenario import CHESS, MATHS, day, far_hour, join
from .sessions import record_id

_PINS = {"Emma": "2468", "Ben": "135790"}


def _refusal(peer: Node, child: bytes, pin: str) -> str | None:
    try:
        peer.machine.name(child, pin)
    except NotNamed as refused:
        return refused.word
    return None


def _told(parent: RealNode, app: str) -> list[tuple]:
    """Return whose the parent's records of an application are, with ID, category, time and points.
    """
    keys = "childName", "recordID", "category", "activeMilliseconds"
    found = [(*(record[key] for key in keys), record.get("milliPoints", 0))
             for record in parent.json("usage", "list") if record["appID"] == app]  # fmt: skip
    return sorted(found)


def _account(parent: RealNode) -> dict | None:
    wanted = "Python PC", os.getuid()
    found = (told for told in parent.json("accounts") if (told["deviceName"], told["account"]["uid"]) == wanted)
    return next(found, None)


def _who(parent: RealNode) -> tuple[list[str], str | None, bool]:
    """Return who shares the account for the parent, who is there, and whether nobody is named."""
    account = _account(parent)
    return account["childNames"], account.get("present"), account["isUnnamed"]


def _findings(parent: RealNode) -> list[str]:
    parent.try_("doctor", "--format", "json")  # it fails if it has found something
    return [finding["id"] for finding in json.loads(parent.last)["findings"]]


def shares_an_account(lab: Lab) -> None:
    """Emma and Ben share the account of the peer; their parent's and Emma's own machine are real."""
    parent, pc = lab.node("parent", "Kitchen laptop"), lab.node("child", "Emma's PC")
    for name in _PINS:
        parent("children", "add", name)
    parent("settings", "set", "--zone", "UTC", "--day-start", far_hour())
    pc.join(parent.code("Emma"), parent.port)
    peer = lab.peer(CHILD, "Python PC")
    device = join(peer, parent)
    child, household = peer.machine, peer.machine.household
    login = pwd.getpwuid(os.getuid()).pw_name
    eventually("the parent knows the account", lambda: _account(parent))
    sharing = "accounts", "assign", login, "--on", "Python PC"
    parent(*sharing, "--child", "Emma", "--child", "Ben")
    eventually("the two share it", lambda: len(child.account.owners()) == 2)
    ids = {household.rules(id_).text("name"): id_ for id_ in household.children()}
    emma, ben = ids["Emma"], ids["Ben"]
    of_first, of_second = ("Emma", "Ben") if emma < ben else ("Ben", "Emma")
    equal(sorted(_who(parent)[0]), ["Ben", "Emma"], "who shares the account, for the parent")
    eventually("the parent sees that they have no PINs", lambda: "pin-missing" in _findings(parent))
    for name in _PINS:
        for app, category, rate in (MATHS, "learning", "2"), (CHESS, "reward", "1"):
            words = "--child", name, "--new", "--category", category, "--points-per-minute", rate
            parent("app", "set", app, *words)
    for name, pin in _PINS.items():
        equal(_refusal(peer, ids[name], pin), "no-pin", "naming a child without a PIN")
        parent("children", "pin", name, given=f"{pin}\n{pin}\n")
        eventually(f"{name}'s PIN arrives", lambda name=name: child.account.pin(ids[name]))

    # While nobody is there, use counts for both and earns nothing, and what costs points is closed.
    used = child.use(MATHS, 12)
    ids_of = {name: record_id(used, ids[name], name == of_first).hex() for name in _PINS}
    both = sorted((name, ids_of[name], "neutral", 720_000, 0) for name in _PINS)
    eventually("both records arrive", lambda: len(_told(parent, MATHS)) == 2)
    equal(_told(parent, MATHS), both, "the records of one use")
    eventually("it counts on Emma's PC", lambda: pc.json("me")["usedMilliseconds"] == 720_000)
    equal([parent.json("points", name)["balance"] for name in _PINS], [0, 0], "points for use that is nobody's own")
    eventually("Chess is closed until somebody is named", lambda: child.decide(CHESS)[1].reason == "unnamed")
    parent("lock", "Ben")
    strictest = lambda: (child.decide(MATHS)[0], child.decide(MATHS)[1].reason)  # noqa: E731
    eventually("Ben's lock holds for both", lambda: strictest() == (ben, "lock"))

    # What runs is reported for each.
    started = child.start(MATHS, 3)
    for name in (of_first, of_second):
        words = "today", name
        (entry,) = eventually(f"it runs for {name}", lambda words=words: day(parent, *words)["running"])
        wanted = record_id(started, ids[name], name == of_first).hex()
        equal((entry["recordID"], entry["category"]), (wanted, "neutral"), f"what runs for {name}")
    eventually("it runs on Emma's PC's list", lambda: day(pc, "me")["running"])
    eventually("the parent knows that nobody is named", lambda: _who(parent)[1:] == (None, True))

    # Wrong PINs are refused, and too many of Ben's delay him alone.
    equal(_refusal(peer, emma, _PINS["Ben"]), "forbidden", "another child's PIN")
    for number in range(5):
        equal(_refusal(peer, ben, f"1357{number}"), "forbidden", "a wrong PIN")
    equal(_refusal(peer, ben, _PINS["Ben"]), "limit", "the right PIN after five wrong ones")
    equal(child.account.there(), None, "who is there after wrong PINs")
    eventually("the parent sees that somebody tried", lambda: "pin-tried" in _findings(parent))

    # Emma is named: what ran until now counts for both, and what runs from now on for her alone.
    equal(_refusal(peer, emma, _PINS["Emma"]), None, "the right PIN")
    eventually("the parent knows that Emma is there", lambda: _who(parent)[1:] == ("Emma", False))
    eventually("the session of both has ended", lambda: len(_told(parent, MATHS)) == 4)
    eventually("nothing runs for Ben", lambda: not day(parent, "today", "Ben")["running"])
    equal([entry["category"] for entry in day(parent, "today", "Emma")["running"]], ["learning"], "what runs for Emma")
    equal(child.decide(MATHS), (emma, child.verdict(emma, MATHS)), "whose rules hold")
    equal(child.decide(MATHS)[1].allowed, True, "whether Ben's lock holds for Emma")
    child.stop(MATHS)
    alone = child.use(MATHS, 5)
    mine = lambda: [told for told in _told(parent, MATHS) if told[1] == alone.hex()]  # noqa: E731
    equal(eventually("her record arrives", mine), [("Emma", alone.hex(), "learning", 300_000, 10_000)], "Emma's record")
    eventually("she has earned", lambda: parent.json("points", "Emma")["balance"] >= 10_000)
    equal(parent.json("points", "Ben")["balance"], 0, "what Ben has earned")
    equal(len([told for told in _told(parent, MATHS) if told[0] == "Ben"]), 2, "Ben's records")

    # She is still there when the node is back, and so are the wrong PINs. Then she leaves.
    peer.stop()
    lab.peers.remove(peer)
    peer = lab.peer(CHILD, "Python PC")
    child, household = peer.machine, peer.machine.household
    equal(child.account.there(), emma, "who is there after a restart of the node")
    equal(child.account.conditions(), [f"pin-tried {os.getuid()}"], "what parents see after a restart of the node")
    peer.call(device, ("127.0.0.1", parent.port))
    child.start(CHESS)
    child.leave()
    equal(_refusal(peer, emma, _PINS["Emma"]), "limit", "a naming at once after a change")
    eventually("the parent knows that nobody is named", lambda: _who(parent)[1:] == (None, True))
    child.stop(CHESS)
    eventually("Chess counted for her, then for both", lambda: len(_told(parent, CHESS)) == 3)

    # The account becomes Emma's alone.
    parent(*sharing, "--child", "Emma")
    eventually("the peer serves Emma alone", lambda: household.children() == [emma])
    equal(_refusal(peer, emma, _PINS["Emma"]), "unknown-child", "naming in an account of one child")
    last = child.use(CHESS, 1)
    eventually("it is Emma's", lambda: [told[0] for told in _told(parent, CHESS) if told[1] == last.hex()] == ["Emma"])
    equal([t for t in lab.events if t["event"] in ("passed-over", "refused")], [], "what one of the two did not take")
