"""The items that real nodes refuse, and the reasons.

The peer sends what the specification forbids.

Spec: Protocol/06-messages.md sections 2, 3 and 9, Protocol/12-facts.md section 5
"""

import os

from . import inventory, registers, schema
from .edits import uuid7
from .household import CONTROL, FOREIGN, ROLE, UNKNOWN, UNREADABLE, USAGE, WRONG_ID
from .identity import CHILD, PARENT
from .lab import Lab, equal, eventually, free_port
from .node import Node
from .registers import CHILD as CHILD_ZONE
from .registers import FAMILY as FAMILY_ZONE
from .scenario import MATHS, far_hour, join

COMMAND = 2
_ID, _OTHER = "1" * 32, bytes([7]) * 20
_DAY, _AT = "2026-11-23", 1_795_400_000_000  # of a fact that is refused, whatever its time


def _facts(child: bytes, kind: str, text: str) -> bytes:
    item = schema.Facts()
    item.facts.add(child=child, kind=kind, text=text)
    return item.SerializeToString()


def _record(device: bytes, id_: bytes, child: bytes | None = None, **more) -> bytes:
    fields = {
        "record_id": id_, "device": device, "app_id": MATHS, "display_name": MATHS, "session_start": _AT,
        "session_end": _AT + 1_000, "zone": "UTC", "active_milliseconds": 1_000, "category": 1, "evidence": 1,
        "child": child,
    }  # fmt: skip
    return schema.UsageRecord(**(fields | more)).SerializeToString()


def _send(lab: Lab, peer: Node, to: bytes, wrong: list[tuple[str, int, int, bytes, int | None]]) -> None:
    """Send items and wait until each was refused with its reason; None for one that is ignored
    silently.
    """
    ids = [os.urandom(16) for _ in wrong]
    with peer.store.transaction():
        for id_, (_, class_, kind, body, _) in zip(ids, wrong, strict=True):
            peer.store.enqueue(to, class_, kind, id_, body)
    eventually("everything was taken", lambda: not peer.store.waiting(to))
    wanted = {id_: (what, reason) for id_, (what, _, _, _, reason) in zip(ids, wrong, strict=True) if reason}

    def told() -> dict[bytes, int]:
        return {row[0]: row[1] for row in peer.store.all("select id, reason from refused where peer=?", to)}

    eventually("everything was refused", lambda: wanted.keys() <= told().keys())
    for id_, (what, reason) in wanted.items():
        equal(told()[id_], reason, f"the reason to refuse {what}")
    equal(told().keys() - wanted.keys(), set(), "what was refused beside these")


def what_a_parent_refuses(lab: Lab) -> None:
    """A child's machine sends its parent items that it may not send."""
    parent = lab.node("parent", "Kitchen laptop")
    parent("settings", "set", "--zone", "UTC", "--day-start", far_hour())
    peer = lab.peer(CHILD, "Python PC")
    device = join(peer, parent, "Emma")
    (emma,) = eventually("the peer is Emma's machine", peer.machine.household.children)
    eventually("the hour is there", lambda: peer.machine.household.rules()["family/dayStart"] == far_hour())
    own, stranger, today = peer.id, os.urandom(16), peer.machine.household.day()
    register = registers.make(3, _OTHER, "child/x", "yes", (_AT, 0, own))
    elsewhere = schema.Registers(registers=[register]).SerializeToString()
    twice = schema.Registers(registers=[registers.make(1, b"", "lock", "on", (1, 0, own))] * 2).SerializeToString()
    running = schema.Inventory(device=_OTHER, kind="running", number=1, parts=1).SerializeToString()
    later = schema.Inventory(kind="later", number=1, parts=1).SerializeToString()
    request = f"{_ID} {today} {_AT} {own.hex()}\ntime 30\n"
    leased = f"leased {_ID} {own.hex()} -5 {_DAY} 9 {own.hex()} 0 - - "
    mixed = schema.Facts.FromString(_facts(emma, "ledger", leased))
    mixed.facts.add(child=emma, kind="request", text=request)
    _send(lab, peer, device, [
        ("facts that cannot be read", CONTROL, 11, b"\xff", UNREADABLE),
        ("no facts", CONTROL, 11, b"", UNREADABLE),
        ("a fact of an unknown kind", CONTROL, 11, _facts(emma, "wish", "x"), UNKNOWN),
        ("a fact of another child", CONTROL, 11, _facts(stranger, "request", request), FOREIGN),
        ("an answer of a child's machine", CONTROL, 11,
         _facts(emma, "answer", f"{_ID} {_DAY} 5 0 {own.hex()}\nyes\n"), ROLE),
        ("a lease to itself, beside a request", CONTROL, 11, mixed.SerializeToString(), UNREADABLE),
        ("registers of another machine", CONTROL, 9, elsewhere, FOREIGN),
        ("a register named twice", CONTROL, 9, twice, UNREADABLE),
        ("what runs on another machine", CONTROL, 8, running, FOREIGN),
        ("a list of an unknown kind", CONTROL, 8, later, UNKNOWN),
        ("new keys", CONTROL, 5, b"", ROLE),
        ("an unknown kind", CONTROL, 99, b"", UNKNOWN),
        ("a list that cannot be read", CONTROL, 8, b"\xff", UNREADABLE),
        ("a record in the control class", CONTROL, 3, _record(own, os.urandom(16)), UNKNOWN),
        ("facts in the usage class", USAGE, 11, _facts(emma, "request", request), UNKNOWN),
        ("a record that cannot be read", USAGE, 3, b"\xff", UNREADABLE),
        ("a record of another machine", USAGE, 3, _record(_OTHER, os.urandom(16)), FOREIGN),
        ("a record under another ID", USAGE, 3, _record(own, os.urandom(16)), WRONG_ID),
        ("a record that ends before it starts", USAGE, 3, _record(own, bytes(16), session_end=0), UNREADABLE),
    ])  # fmt: skip
    eventually("the request beside the lease was taken",
               lambda: [told["requestID"] for told in parent.json("requests")])  # fmt: skip
    # An item's ID must be that of the record, and the record must be the sender's.
    id_ = os.urandom(16)
    with peer.store.transaction():
        peer.store.enqueue(device, USAGE, 3, id_, _record(_OTHER, id_))
    eventually("it was refused", lambda: lab.told("Python PC", "refused", kind=3, reason=FOREIGN))
    # A command from a child is answered.
    command = schema.Command(command_id=id_, author=own, created_at=_AT, kind="requestReport").SerializeToString()
    with peer.store.transaction():
        peer.store.enqueue(device, COMMAND, 1, id_, command)
    (receipt,) = eventually("it was answered", lambda: lab.told("Python PC", "receipt"))
    equal(receipt["outcome"], 2, "the outcome of a child's command")


def what_a_child_refuses(lab: Lab) -> None:
    """A parent's machine sends a child's machine items that it may not send."""
    peer = lab.peer(PARENT, "Python parent")
    household, port = peer.machine.household, peer.listen(free_port())
    pc = lab.node("child", "Emma's PC")
    pc.join(peer.invite(), port)
    (machine,) = eventually("it is in touch", lambda: list(peer.machine.in_touch))
    emma = peer.machine.add("Emma")
    peer.machine.assign(machine, emma)
    eventually("it serves Emma", lambda: household.holders(emma) == [machine])
    own, stranger = peer.id, os.urandom(16)
    register = registers.make(1, b"", "mode", "limits", (_AT, 0, own))
    _send(lab, peer, machine, [
        ("registers from a parent", CONTROL, 9, schema.Registers(registers=[register]).SerializeToString(), ROLE),
        *((f"a list of {kind} from a parent", CONTROL, 8,
           schema.Inventory(kind=kind, number=1, parts=1).SerializeToString(), ROLE) for kind in inventory.KINDS),
        ("a need of a parent", CONTROL, 11, _facts(emma, "need", f"{own.hex()} 5 0 yes"), ROLE),
        ("a request of a parent", CONTROL, 11,
         _facts(emma, "request", f"{_ID} {_DAY} {_AT} {own.hex()}\ntime 30\n"), ROLE),
        ("machines of another child", CONTROL, 11, _facts(stranger, "machines", f"{own.hex()} 5 0"), FOREIGN),
        ("what runs, unreadable", CONTROL, 8, b"\xff", UNREADABLE),
        ("what runs on itself", CONTROL, 8,
         schema.Inventory(device=machine, kind="running", number=1, parts=1).SerializeToString(), None),
        ("a record of another child", USAGE, 3, _record(_OTHER, bytes(16), stranger), WRONG_ID),
    ])  # fmt: skip
    id_ = os.urandom(16)
    with peer.store.transaction():
        peer.store.enqueue(machine, USAGE, 3, id_, _record(_OTHER, id_, stranger))
    eventually("it was taken", lambda: not peer.store.waiting(machine))
    equal(len(peer.store.all("select 1 from refused where id=?", id_)), 0, "refusals of another child's record")
    # Commands that must not be executed are answered with a reason, and change nothing.
    before = pc("rules")
    edit = schema.Registers
    for kind, payload in (
        ("close-all", None),
        ("message", schema.TextMessage(text="")),
        ("edit", edit()),
        ("edit", edit(registers=[registers.make(FAMILY_ZONE, b"", "mode", "limits", (_AT, 0, _OTHER))])),
        ("edit", edit(registers=[registers.make(CHILD_ZONE, stranger, "mode", "limits", (_AT, 0, own))])),
        ("edit", edit(registers=[registers.make(registers.MACHINE, _OTHER, "account/1000", "nobody", (_AT, 0, own))])),
        ("edit", edit(registers=[register, register])),
        ("takePoints", schema.TakePoints(child=emma, milli_points=0, day=_DAY, reason="x")),
        ("takePoints", schema.TakePoints(child=stranger, milli_points=5, day=_DAY, reason="x")),
        ("takePoints", schema.TakePoints(child=emma, milli_points=5, day="2026-02-30", reason="x")),
        ("reviewLearning", schema.ReviewLearning(child=emma, record=uuid7(), is_approved=True)),
    ):
        command = peer.machine.command(machine, kind, payload)

        def answered(command=command):
            row = peer.store.one("select status, reason from command where id=?", command)
            return row if row[0] != "queued" else None

        status, reason = eventually("it was answered", answered)
        equal((status, bool(reason)), ("failed", True), f"the answer to {kind} {payload}")
    equal(pc("rules"), before, "the rules afterwards")
