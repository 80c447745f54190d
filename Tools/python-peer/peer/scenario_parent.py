"""The peer as a parent's machine in a household of real nodes."""

from . import inventory, ledger, schema
from .identity import PARENT
from .lab import Lab, RealNode, equal, eventually, free_port
from .node import Node
from .registers import CHILD as CHILD_ZONE
from .registers import FAMILY as FAMILY_ZONE
from .scenario import CHESS, MATHS, day, far_hour, request


def parent_of_real_children(lab: Lab) -> None:
    """The peer is Emma's parent; her two machines are real."""
    peer = lab.peer(PARENT, "Python parent")
    parent, household, port = peer.machine, peer.machine.household, peer.listen(free_port())
    pc, laptop = lab.node("child", "Emma's PC"), lab.node("child", "Emma's laptop")
    for node in (pc, laptop):
        node.join(peer.invite(), port)
    machines = eventually("both are in touch", lambda: len(parent.in_touch) == 2 and sorted(parent.in_touch))

    # Edits reach both machines, which serve the child from then on.
    parent.edit((FAMILY_ZONE, b"", "family/dayStart", far_hour()))
    emma = parent.add("Emma")
    for machine in machines:
        parent.assign(machine, emma)
    parent.edit(
        (CHILD_ZONE, emma, f"app/{MATHS}/category", "learning"), (CHILD_ZONE, emma, f"app/{MATHS}/rate", "900000"),
        (CHILD_ZONE, emma, f"app/{CHESS}/category", "reward"), (CHILD_ZONE, emma, f"app/{CHESS}/rate", "1000"),
        (CHILD_ZONE, emma, "limits/weekly", "600"),
    )
    eventually("every edit was executed", lambda: _statuses(peer) == {"executed"})
    eventually("both hold facts", lambda: household.holders(emma) == machines)
    equal(len(lab.told("Python parent", "accounts")), 2, "lists of accounts")

    # Use is recorded with the child, earns, and is passed on to the other machine.
    pc("usage", "track", "--app", MATHS, "--", "sleep", "1")
    eventually("the points arrive", lambda: household.balance(emma) > 10_000)
    earned = household.balance(emma)
    (used,) = household.stretches(emma)
    equal(used.app, MATHS, "the record's application")
    for node in (pc, laptop):
        eventually(f"{node.name} counts the points", lambda node=node: node.json("points")["balance"] == earned)
        eventually(f"{node.name} counts the use", lambda node=node: day(node, "me")["usedMilliseconds"] == used.length)
    eventually("the purse is back", lambda: household.purse(emma) == earned)

    # Given points are lent in equal shares to the two machines on which a reward runs.
    parent.adjust(emma, 100_001, "cleaned the kitchen")
    running = [node.background("usage", "track", "--app", CHESS, "--", "sleep", "600") for node in (pc, laptop)]
    eventually("both say what runs", lambda: _running(peer) == {CHESS: 2})
    eventually("everything is lent", lambda: household.purse(emma) == 0)
    shares = [household.purse(emma, machine) for machine in machines]
    equal(sum(shares), earned + 100_001, "sum of the shares")
    # While this purse is empty, a deduction is requested from the machines.
    parent.adjust(emma, -1_000, "broke the rules")
    eventually("a machine has given it", lambda: household.balance(emma) == earned + 99_001)
    for process in running:
        process.terminate()
        process.wait(30)
    eventually("nothing runs", lambda: not _running(peer))
    eventually("all is paid and back", lambda: household.purse(emma) == household.balance(emma) < earned + 99_001)
    for node in (pc, laptop):
        eventually(f"{node.name} agrees", lambda node=node: node.json("points")["balance"] == household.balance(emma))
    # A gift reaches a single machine on which a reward runs as a whole.
    alone = laptop.background("usage", "track", "--app", CHESS, "--", "sleep", "600")
    eventually("one has it all", lambda: household.purse(emma) == 0)
    equal(sorted(household.purse(emma, machine) > 0 for machine in machines), [False, True], "who has a lease")
    alone.terminate()
    alone.wait(30)
    eventually("it is back", lambda: household.purse(emma) == household.balance(emma))

    # Requests are answered, for time and for an application.
    laptop("ask", "30m", "--for", "reward", "--reason", "finish the level")
    ((id_, _),) = eventually("the request arrives", lambda: list(household.requests(emma).items()))
    parent.answer(emma, id_, True, 20, "then bed")
    for node in (pc, laptop):
        eventually(f"{node.name} knows", lambda node=node: (request(node, id_) or {}).get("state") == "approved")
    parent.edit((CHILD_ZONE, emma, f"app/{CHESS}/blocked", "yes"))
    eventually("Chess is blocked", lambda: _rule(laptop, CHESS) == "blocked")
    pc("ask", "--app", CHESS)
    app = eventually("the request arrives", lambda: [r for r in household.requests(emma) if r != id_])[0]
    parent.answer(emma, app, True)
    for node in (pc, laptop):
        eventually(f"Chess may run on {node.name}", lambda node=node: _rule(node, CHESS) != "blocked")

    # Points are redeemed first, and unused minutes are given back.
    parent.edit((FAMILY_ZONE, b"", "points/use", "redeemFirst"), (FAMILY_ZONE, b"", "points/minutesPerPoint", "3"))
    eventually("the rule is there", lambda: _statuses(peer) == {"executed"})
    before = household.balance(emma)
    pc("redeem", "10")
    eventually("it is paid", lambda: household.balance(emma) == before - 10_000)
    pc("usage", "track", "--app", CHESS, "--", "sleep", "1")
    eventually("minutes are used", lambda: [e for e in household.entries(emma) if e.kind == "used"])
    equal(household.balance(emma), before - 10_000, "the balance after use that was redeemed")
    ((entry, left),) = [found for m in machines for found in ledger.redemptions(household.entries(emma), m)]
    equal((entry.quantity, left < 1_800_000), (1_800_000, True), "the minutes that ten points bought, and what is left")
    pc("refund")
    refunded = 10_000 * left // 1_800_000
    eventually("the rest is back", lambda: household.balance(emma) == before - 10_000 + refunded)

    # The peer goes away; what happens meanwhile arrives when it is back.
    peer.stop()
    lab.peers.remove(peer)
    laptop("ask", "10m", "--reason", "one more game")
    peer = lab.peer(PARENT, "Python parent")
    parent, household = peer.machine, peer.machine.household
    peer.listen(port)
    eventually("both are in touch again", lambda: sorted(parent.in_touch) == machines)
    eventually("the request arrives", lambda: len(household.requests(emma)) == 3)

    # A report says what the machine holds, and a scan what is installed on it. An edit that takes
    # the child away ends what is sent to the machine.
    parent.command(machines[0], "requestReport")
    eventually("the registers arrive", lambda: lab.told("Python parent", "registers"))
    eventually("what is installed arrives", lambda: len(_listed(peer)) == 2)
    scan = parent.command(machines[1], "scanApplications")
    eventually("it has looked", lambda: _scanned(peer, scan) == _listed(peer)[machines[1]])
    parent.assign(machines[0], emma, False)
    eventually("every command was executed", lambda: _statuses(peer) == {"executed"})
    equal(household.holders(emma), machines[1:], "who holds the child's facts")
    equal([t for t in lab.events if t["event"] in ("passed-over", "refused")], [], "what one of the two did not take")


def parent_beside_a_real_parent(lab: Lab) -> None:
    """The peer is one of Emma's two parents; the other one and her machine are real."""
    peer = lab.peer(PARENT, "Python parent")
    household, port = peer.machine.household, peer.listen(free_port())
    pc = lab.node("child", "Emma's PC")
    pc.join(peer.invite(), port)
    (machine,) = eventually("it is in touch", lambda: list(peer.machine.in_touch))
    peer.machine.edit((FAMILY_ZONE, b"", "family/dayStart", far_hour()))
    emma = peer.machine.add("Emma")
    peer.machine.assign(machine, emma)
    peer.machine.edit((CHILD_ZONE, emma, f"app/{CHESS}/rate", "60000"))
    eventually("it serves Emma", lambda: household.holders(emma) == [machine])
    other = lab.node("parent", "Kitchen laptop")
    other("settings", "set", "--zone", "UTC", "--day-start", far_hour())  # no parent accepts that from another one
    pc.join(other.code("emma"), other.port)
    children = eventually("the other parent knows the child", lambda: other.json("children", "list"))
    equal([child["name"] for child in children], ["Emma"], "the other parent's children")
    # What one parent gives and answers reaches the other through the child's machine.
    peer.machine.adjust(emma, 30_000, "cleaned the kitchen")
    eventually("the other parent counts it", lambda: other.json("points", "Emma")["balance"] == 30_000)
    other("points", "adjust", "Emma", "+5", "--reason", "helped")
    eventually("the peer counts it", lambda: household.balance(emma) == 35_000)
    pc("ask", "30m", "--reason", "finish the level")
    ((id_, _),) = eventually("the request arrives", lambda: list(household.requests(emma).items()))
    eventually("at both", lambda: request(other, id_))
    other("approve", id_.hex()[:8], "--minutes", "10")
    answer = eventually("the peer hears the answer", lambda: household.requests(emma)[id_][1])
    equal(answer.said[1:3], (True, 10), "the answer")
    # The later of two edits of one register wins, whoever made it.
    other("app", "set", CHESS, "--child", "Emma", "--new", "--category", "learning", "--wait", "60")
    eventually("the peer is told", lambda: _told_value(peer, f"app/{CHESS}/category", "learning"))
    peer.machine.edit((CHILD_ZONE, emma, f"app/{CHESS}/category", "neutral"))
    eventually("the peer's edit holds", lambda: _statuses(peer) == {"executed"})
    equal([t for t in lab.events if t["event"] in ("passed-over", "refused")], [], "what one of the two did not take")


def _running(peer: Node) -> dict[str, int]:
    """Return how many machines report each application as running."""
    found: dict[str, int] = {}
    for told in inventory.entries(peer.store, "running").values():
        for lines in told:
            found[lines[3]] = found.get(lines[3], 0) + 1
    return found


def _listed(peer: Node) -> dict[bytes, int]:
    """Return how many applications each machine reports as installed."""
    return {machine: len(told) for machine, told in inventory.entries(peer.store, "installed").items()}


def _scanned(peer: Node, command: bytes) -> int | None:
    """Return how many applications a machine has found."""
    row = peer.store.one("select answer from command where id=? and status='executed'", command)
    return row and schema.ApplicationsScanned.FromString(row[0]).applications


def _statuses(peer: Node) -> set[str]:
    return {row[0] for row in peer.store.all("select status from command")}


def _told_value(peer: Node, key: str, start: str) -> bool:
    rows = peer.store.all("select register from told where key=?", key)
    return any(schema.Register.FromString(row[0]).value.startswith(start) for row in rows)


def _rule(node: RealNode, app_id: str) -> str | None:
    apps = {app["appID"]: app["verdict"] for app in node.json("me")["apps"]}
    return apps.get(app_id, {}).get("rule")
