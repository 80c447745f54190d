"""A child learns on the peer and on a real machine at once, and each instant earns once."""

from . import repeats, use
from .identity import CHILD
from .lab import Lab, equal, eventually
from .scenario import CHESS, MATHS, day, far_hour, join


def learning_at_once_earns_once(lab: Lab) -> None:
    """The peer is one of Emma's two machines; the other one and the parent's are real."""
    parent, pc = lab.node("parent", "Kitchen laptop"), lab.node("child", "Emma's PC")
    parent("children", "add", "Emma")
    parent("settings", "set", "--zone", "UTC", "--day-start", far_hour())
    pc.join(parent.code("Emma"), parent.port)
    peer = lab.peer(CHILD, "Python PC")
    join(peer, parent, "Emma")
    child, household = peer.machine, peer.machine.household
    (emma,) = eventually("the peer is Emma's machine", household.children)
    parent("app", "set", MATHS, "--child", "Emma", "--new", "--category", "learning", "--points-per-minute", "600")
    parent("app", "set", CHESS, "--child", "Emma", "--new", "--category", "reward", "--points-per-minute", "0.001")
    eventually("the rules arrive", lambda: household.rules(emma).category(CHESS) == ("reward", 1))
    eventually("they arrive at the PC", lambda: len(pc.json("me")["apps"]) == 2)

    def earned() -> list:
        return [e for e in household.entries(emma) if e.kind == "earned" and e.purse != household.own]

    def taken(mine: bool) -> dict:
        return {entry.source: (entry.quantity, -entry.amount) for entry in household.entries(emma)
                if entry.kind == "repeated" and (entry.purse == household.own) == mine}  # fmt: skip

    def owed(mine: bool) -> dict:
        found = repeats.owed(household.entries(emma)).items()
        return {entry.source: told for entry, told in found if (entry.purse == household.own) == mine}

    def all_agree(what: str) -> None:
        real = lambda: {parent.json("points", "Emma")["balance"], pc.json("points")["balance"]}  # noqa: E731
        eventually(what, lambda: real() == {household.balance(emma)})

    # The real machine begins later, and learns of the overlap when its purse is back at the
    # parent's. It owes all that it earned, and asks for points to give it back.
    pc("usage", "track", "--app", MATHS, "--", "sleep", "1")
    (first,) = eventually("the peer hears what the PC earned", earned)
    child.use(MATHS, 5)
    equal(owed(False), {first.source: (first.quantity, first.amount)}, "what the PC owes")
    eventually("the PC has given it back", lambda: taken(False) == owed(False))

    # The peer begins later, and knows of the other machine's learning when its own ends: it gives
    # back at once.
    track = pc.background("usage", "track", "--app", MATHS, "--", "sleep", "600")
    eventually("the PC runs Maths", lambda: day(pc, "me")["running"])
    child.start(MATHS)
    track.terminate()
    track.wait(30)
    second = eventually("the peer hears what the PC earned", lambda: earned()[1:])[0]
    later = child.stop(MATHS)
    equal(taken(True), owed(True), "what the peer gave back")
    equal(list(taken(True)), [later], "whose learning was earned before")
    equal(0 < taken(True)[later][0] <= second.quantity, True, "the time that the two share")
    all_agree("all machines count the same")

    # The peer ends first, and learns of the overlap when its purse is back at the parent's: it asks
    # for points, and gives them back.
    track = pc.background("usage", "track", "--app", MATHS, "--", "sleep", "600")
    eventually("the PC runs Maths", lambda: day(pc, "me")["running"])
    last = child.start(MATHS)
    eventually("the peer's list arrives", lambda: len(day(parent, "today", "Emma")["running"]) == 2)
    child.stop(MATHS)
    eventually("the purse is back", lambda: household.purse(emma) == 0)
    track.terminate()
    track.wait(30)
    eventually("the peer hears what the PC earned", lambda: len(earned()) == 3)
    equal(last in owed(True), True, "the peer owes what the two share")
    eventually("it has given back", lambda: taken(True) == owed(True))
    eventually("the PC owes nothing", lambda: taken(False) == owed(False))
    eventually("the purse is back again", lambda: household.purse(emma) == 0)
    all_agree("all machines count the same")
    entries = household.entries(emma)
    span = use.union((entry.at, entry.at + entry.quantity) for entry in entries if entry.kind == "earned")
    spent = -sum(entry.amount for entry in entries if entry.kind == "spent")
    gained = household.balance(emma) + spent
    # Each amount is rounded down, and what is given back of it up.
    equal(10 * span - 12 <= gained <= 10 * span, True, f"{gained} milli-points for {span} milliseconds of learning")
    equal([t for t in lab.events if t["event"] in ("passed-over", "refused")], [], "what one of the two did not take")
