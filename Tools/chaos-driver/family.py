"""A parent, its children, and their pairing."""
import pathlib
import time
from collections.abc import Iterator

import api
from ledger import Ledger
from node import Node

PARENT = "the parent"
# The number of records that may be queued on the fourth child.
FEW_ITEMS = 24
_NAMES = ("Emma", "Ben", "Tom's PC", "Ida", "Max", "Zoë", "Ada", "Leo", "Mia", "Tim", "Eva", "Jan", "Lea", "Kai", "Uli",
          "Pia")


class Family:
    """The nodes of a run.

    The first child is restored, the second is copied, the third has the small disk, and the fourth
    has a short queue.
    """

    def __init__(self, binary: pathlib.Path, work: pathlib.Path, children: int, ledger: Ledger) -> None:
        self.work = work
        nodes, self.logs = work / "nodes", work / "logs"
        nodes.mkdir()
        self.logs.mkdir()
        self.small_disk = work / "small"
        self.parent = Node(binary, PARENT, "parent", nodes / "parent", self.logs, ledger)
        self.children: dict[str, Node] = {}
        for place, name in enumerate(_NAMES[:children]):
            folder = self.small_disk / "state" if place == 2 else nodes / f"child{place + 1}"
            arguments = ("--queue-items", str(FEW_ITEMS)) if place == 3 else ()
            self.children[name] = Node(binary, name, "child", folder, self.logs, ledger, *arguments)
        names = list(self.children)
        self.restored, self.copied, self.small, self.crowded = names[:4]
        self.copy = Node(binary, f"the copy of {self.copied}", "child", nodes / "copy", self.logs, ledger)
        self._ledger = ledger
        # The IDs of the children's machines.
        self.devices: dict[str, str] = {}

    def __iter__(self) -> Iterator[Node]:
        """Iterates over the parent and the children."""
        return iter([self.parent, *self.children.values()])

    def begin(self) -> None:
        """Creates, starts and pairs all nodes."""
        for node in self:
            node.make()
            if (reason := node.start()) is not None:
                raise RuntimeError(f"{node.name} does not start: {reason}")
        for child in self.children.values():
            reason = self._pair(child, {})
            if reason is None:
                continue
            # The parent's address is given, since a busy machine may find it late and pairing is
            # not tested here.
            print(f"chaos: {reason}", flush=True)
            address = self.parent.ask("GET", "/v1/status").body["listening"][0]
            if (reason := self._pair(child, {"peer": address})) is not None:
                raise RuntimeError(reason)
        self._settle_children()

    def _settle_children(self) -> None:
        """Waits until each machine is assigned to the child with the machine's name."""
        deadline = time.monotonic() + 60
        while True:
            answer = self.parent.ask("GET", "/v1/children")
            children = answer.body if answer.fate == api.ACCEPTED else []
            if len([child for child in children if child["machines"] and not child["untold"]]) == len(self.children):
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"the machines are not the children's: {answer.words} {children}")
            time.sleep(0.1)
        devices = self.parent.ask("GET", "/v1/devices").body
        self.devices = {device["device"]["name"]: device["device"]["deviceID"] for device in devices}

    def _pair(self, child: Node, address: dict[str, str]) -> str | None:
        """Pairs a child with the parent, and returns the reason of a failure."""
        invitation = self.parent.ask("POST", "/v1/pairing/invitations", {"minutes": 5, "childName": child.name, "acceptWithoutAsking": True})
        if invitation.fate != api.ACCEPTED:
            raise RuntimeError(f"no code for {child.name}: {invitation.words}")
        request = {"code": invitation.body["code"], "acceptWithoutAsking": True, **address}
        join = child.ask("POST", "/v1/pairing/joins", request)
        if join.fate != api.ACCEPTED:
            raise RuntimeError(f"{child.name} does not take the code: {join.words}")
        for node, progress in ((child, join), (self.parent, invitation)):
            deadline = time.monotonic() + 90
            while progress.body["phase"] != "ended":
                if time.monotonic() > deadline:
                    raise RuntimeError(f"pairing with {child.name} does not end: {progress.body}")
                path = f"/v1/pairing/{progress.body['pairingID']}"
                progress = node.ask("GET", api.query(path, after=progress.body["change"]), timeout=40)
            if progress.body.get("outcome") != "ok":
                # The child's side ends first, since the parent's code is useless without it.
                self.parent.ask("DELETE", f"/v1/pairing/{invitation.body['pairingID']}")
                return f"pairing with {child.name} failed: {progress.body.get('sentence', progress.body)}"
        return None

    def end(self) -> None:
        """Ends every node at once."""
        for node in [self.copy, *self]:
            node.kill()
            # An agent outlives its node.
            node.end_agents()
