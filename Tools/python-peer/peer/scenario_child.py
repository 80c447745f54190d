"""The peer as a child's machine in a household of real nodes."""

import os
import signal

from .identity import CHILD
from .lab import Lab, RealNode, equal, eventually
from .node import Node
from .scenario import CHESS, MATHS, bedtime, day, devices, far_hour, join, request, same


def _balances(parent: RealNode, pc: RealNode, peer: Node, child: bytes) -> set[int]:
    """Return the balances that the three machines state; once all have received everything, there
    is one.
    """
    real = {node.json("points", "Emma")["balance"] for node in (parent, pc)}
    return real | {peer.machine.household.balance(child)}


def _all_agree(parent: RealNode, pc: RealNode, peer: Node, child: bytes, milli_points: int) -> None:
    eventually(f"all machines count {milli_points} milli-points",
               lambda: _balances(parent, pc, peer, child) == {milli_points})  # fmt: skip


def child_of_a_real_parent(lab: Lab) -> None:
    """The peer is one of Emma's two machines; the other one and the parent's are real."""
    parent, pc = lab.node("parent", "Kitchen laptop"), lab.node("child", "Emma's PC")
    parent("children", "add", "Emma")
    parent("settings", "set", "--zone", "UTC", "--day-start", far_hour())
    pc.join(parent.code("Emma"), parent.port)
    peer = lab.peer(CHILD, "Python PC")
    join(peer, parent, "Emma")
    child, household = peer.machine, peer.machine.household
    (emma,) = eventually("the peer is Emma's machine", household.children)
    all_agree = lambda points: _all_agree(parent, pc, peer, emma, points)  # noqa: E731

    # Rules arrive, use is recorded with account and child, and learning earns.
    parent("app", "set", MATHS, "--child", "Emma", "--new", "--category", "learning", "--points-per-minute", "2")
    parent("app", "set", CHESS, "--child", "Emma", "--new", "--category", "reward", "--points-per-minute", "1")
    eventually("the rules arrive", lambda: household.rules(emma).category(CHESS) == ("reward", 1_000))
    id_ = child.use(MATHS, 12)
    (record,) = eventually("the record arrives", lambda: parent.json("usage", "list"))
    told = [record[name] for name in ("recordID", "childName", "activeMilliseconds", "milliPoints", "account")]
    equal(told, [id_.hex(), "Emma", 720_000, 24_000, os.getuid()], "the record at the parent")
    all_agree(24_000)
    eventually("the use counts on the other machine", lambda: pc.json("me")["usedMilliseconds"] == 720_000)
    eventually("the peer's only purse is the parent's", lambda: household.purse(emma) == 0)

    # Running programs are reported. A reward wants points, which the parent lends, including those
    # that are given meanwhile.
    child.start(CHESS, 3)
    eventually("the peer has a lease", lambda: household.purse(emma) == 24_000)
    for node, words in ((parent, ("today", "Emma")), (pc, ("me",))):
        what = f"{node.name} hears what runs"
        running = eventually(what, lambda node=node, words=words: day(node, *words)["running"])
        equal([entry["appID"] for entry in running], [CHESS], what)
    parent("points", "adjust", "Emma", "+50", "--reason", "cleaned the kitchen")
    eventually("the gift is lent", lambda: household.purse(emma) == 74_000)
    equal(child.verdict(emma, CHESS).reason, "points", "what limits Chess at the peer")
    # A deduction, for which the parent must ask the peer's purse.
    parent("points", "adjust", "Emma", "-10", "--reason", "broke the rules", "--wait", "60")
    all_agree(64_000)
    # Learning beside a reward is held until the parent has reviewed it.
    held = child.use(MATHS, 5)
    eventually("the parent sees what is held", lambda: parent.json("points", "Emma")["held"])
    all_agree(64_000)
    parent("points", "review", held.hex()[:8], "--approve", "--wait", "60")
    all_agree(74_000)
    # The reward ends: it is paid, and the rest goes back.
    child.stop(CHESS)
    spent = -sum(entry.amount for entry in household.entries(emma) if entry.kind == "spent")
    equal(3_000 <= spent <= 74_000, True, f"the cost of three minutes and some seconds, {spent},")
    all_agree(74_000 - spent)
    eventually("the purse is back", lambda: household.purse(emma) == 0)
    purses = sum(household.purse(emma, device) for device in devices(household, emma))
    equal(purses, 74_000 - spent, "sum of the purses")

    # Requests in both directions through the parent.
    asked = child.ask(emma, "time 30 reward", "finish the level")
    eventually("the parent sees the request", lambda: request(parent, asked))
    parent("approve", asked.hex()[:8], "--minutes", "20", "--word", "then bed")
    granted = lambda: household.rules(emma).granted(household.day(), CHESS, "reward")  # noqa: E731
    eventually("the answer grants", lambda: granted() == 1_200_000)
    eventually("the other machine knows", lambda: (request(pc, asked) or {}).get("state") == "approved")
    pc("ask", "15m", "--reason", "homework")
    (other,) = eventually("the peer hears of it", lambda: [r for r in household.requests(emma) if r != asked])
    parent("deny", other.hex()[:8], "--word", "tomorrow")
    verdict = eventually("the peer hears the answer", lambda: household.requests(emma)[other][1])
    equal(verdict.said[1:], (False, None, "tomorrow"), "the answer")
    parent("app", "set", CHESS, "--child", "Emma", "--blocked")
    eventually("Chess is blocked", lambda: child.verdict(emma, CHESS).reason == "blocked")
    app = child.ask(emma, f"app {CHESS}", "")
    eventually("the parent sees the request", lambda: request(parent, app))
    parent("approve", app.hex()[:8])
    eventually("Chess may run", lambda: household.rules(emma).app(CHESS, "blocked") == "no")

    # Use while the parent had crashed arrives when it is back. These minutes are also those of
    # Chess.
    parent.end(signal.SIGKILL)
    again = child.use(MATHS, 3)
    parent.start()
    eventually("the record arrives", lambda: again.hex() in [used["recordID"] for used in parent.json("usage", "list")])
    eventually("what is held arrives", lambda: parent.json("points", "Emma")["held"])
    before = household.balance(emma)
    parent("points", "review", again.hex()[:8], "--approve", "--wait", "60")
    all_agree(before + 6_000)

    # The decisions equal those of the other implementation.
    parent("limit", "set", "--child", "Emma", "--category", "reward", "--daily", "0")
    parent("limit", "set", "--child", "Emma", "--category", "learning", "--daily", "1h")
    parent("bedtime", "set", "--child", "Emma", bedtime())
    for app_id in (MATHS, CHESS):
        eventually(f"both decide the same about {app_id}", lambda app_id=app_id: same(pc, child, emma, app_id))
    equal([t for t in lab.events if t["event"] in ("passed-over", "refused")], [], "what one of the two did not take")
