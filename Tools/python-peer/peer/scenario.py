"""Common parts of the scenarios of both roles."""

import time
import uuid

from .code import read
from .lab import RealNode
from .node import Node
from .pairing import Joiner

MATHS, CHESS = "org.example.Maths", "org.example.Chess"


def day(node: RealNode, *words: str) -> dict:
    told = node.json(*words)
    return told[0] if isinstance(told, list) else told


def devices(household, child: bytes) -> set[bytes]:
    entries = household.entries(child)
    return {entry.purse for entry in entries} | {entry.other for entry in entries if entry.other}


def request(node: RealNode, id_: bytes) -> dict | None:
    wanted = str(uuid.UUID(bytes=id_))
    return next((request for request in node.json("requests") if request["requestID"] == wanted), None)


_BEGAN = time.gmtime().tm_hour


def far_hour() -> str:
    """Return an hour that is about half a day away, so that no day begins during a scenario."""
    return str((_BEGAN + 12) % 24)


def bedtime() -> str:
    """Return a bedtime that is about half a day away."""
    hour = int(far_hour())
    return f"{hour:02}:00-{(hour + 2) % 24:02}:00"


def same(pc: RealNode, child, emma: bytes, app_id: str) -> bool:
    apps = {app["appID"]: app["verdict"] for app in pc.json("me")["apps"]}
    mine, theirs = child.verdict(emma, app_id), apps[app_id]
    if (mine.allowed, mine.reason) != (theirs["isAllowed"], theirs.get("rule")):
        return False
    return mine.reason is None or abs((mine.until or 0) - theirs.get("until", 0)) < 5_000


def join(peer: Node, parent: RealNode, for_: str | None = None) -> bytes:
    """Pair the peer, a child's machine, with a real parent, and hold a session with it."""
    address = "127.0.0.1", parent.port
    device = Joiner(peer.store, read(parent.code(for_)), False, lambda *_, **__: None).run(address)
    peer.call(device, address)
    return device
