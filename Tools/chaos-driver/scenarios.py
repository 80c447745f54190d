"""The fates of three children: one is restored from a backup, one is copied, and one has a full
disk.
"""
import errno
import os
import pathlib
import shutil
import time

import api
import snapshot
from family import FEW_ITEMS, Family
from ledger import Ledger, Setback, now, wall
from node import Node
from orders import Orders
from use import Use, usage

# The seconds within which the parent must notice that two machines use one child's keys.
_QUARANTINE_PATIENCE = 120


class Scenarios:
    """Performs on the special children what a household does to its machines."""

    def __init__(self, family: Family, ledger: Ledger, orders: Orders, use: Use) -> None:
        self._family = family
        self._ledger = ledger
        self._orders = orders
        self._use = use
        self._backup = family.work / "backup"
        self._setback: Setback | None = None
        self._filler = family.small_disk / "filler"

    # The restored child.

    def back_up(self) -> None:
        """Copies the state folder of the first child while it is stopped."""
        child = self._family.children[self._family.restored]
        self._kill(child, "for its backup")
        shutil.rmtree(self._backup, ignore_errors=True)
        child.copy(self._backup)
        self._setback = Setback(child=child.name, kind="restored", since=now(), since_wall=wall(),
                                kept=snapshot.take(self._backup))
        self._ledger.happened(child.name, f"{child.name} is backed up")
        self.start(child)

    def restore(self) -> None:
        """Restores the first child from its backup, once the parent's records of it are known."""
        child, parent, setback = self._family.children[self._family.restored], self._family.parent, self._setback
        assert setback is not None
        self._kill(child, "for its restoration")
        sessions = None
        while sessions is None:
            if not parent.is_running:
                self.start(parent)
            sessions = usage(parent, child.name)
        setback.delivered = frozenset(str(s["record"]["recordID"]) for s in sessions)  # type: ignore[index]
        child.put_back(self._backup)
        setback.until, setback.until_wall = now(), wall()
        self._ledger.setbacks.append(setback)
        self._ledger.happened(child.name, f"{child.name} is set back to its backup")
        self.start(child)

    # The copied child.

    def copy(self) -> None:
        """Runs two nodes with the second child's keys until the parent notices, and ends the copy.
        """
        family, ledger = self._family, self._ledger
        child, copy = family.children[family.copied], family.copy
        self._use.end_all(child.name)
        self._use.wait_for_tracked(60)
        self._kill(child, "to be copied")
        child.copy(copy.folder)
        setback = Setback(child=child.name, kind="copied", since=now(), since_wall=wall(),
                          kept=snapshot.take(copy.folder))
        ledger.setbacks.append(setback)
        ledger.happened(child.name, f"{child.name} is copied, and both run")
        for node in (child, copy, family.parent):
            if not node.is_running:
                self.start(node)
        deadline = time.monotonic() + _QUARANTINE_PATIENCE
        words: dict[str, str] = {}
        turn = 0
        while time.monotonic() < deadline and len(words) < 3:
            turn += 1
            if turn <= 6:
                self._orders.burst(3, child.name)
                self._use.begin_session(child)
                self._use.begin_session(copy, on_copy=child.name)
                self._use.end_all(child.name)
            for device in self._ask(family.parent, "/v1/devices") or []:
                if device["device"]["name"] == child.name and "quarantined" in device["marks"]:
                    words[family.parent.name] = "quarantined"
            for node in (child, copy):
                for warning in (self._ask(node, "/v1/status") or {}).get("warnings", []):
                    if "uses this machine's keys" in warning or "same keys" in warning or "identity renew" in warning:
                        words[node.name] = warning
            time.sleep(0.1)
        for node in (family.parent, child, copy):
            if node.name not in words:
                ledger.found("two machines used one child's keys, and it was not said",
                             f"{node.name} said nothing of it within {_QUARANTINE_PATIENCE} s")
        self._use.end_all(child.name)
        self._kill(copy, "the copy is ended")
        shutil.rmtree(copy.folder)
        answer = family.parent.ask("POST", f"/v1/devices/{self._identity(child)}/release")
        setback.until, setback.until_wall = now(), wall()
        ledger.happened(child.name, f"the copy is ended, and {child.name} is released: {answer.words}")

    def _identity(self, node: Node) -> str:
        return str((self._ask(node, "/v1/status") or {}).get("deviceID", ""))

    @staticmethod
    def _ask(node: Node, path: str) -> "dict[str, object] | list[dict[str, object]] | object":
        answer = node.ask("GET", path)
        return answer.body if answer.fate == api.ACCEPTED else None

    # The child with a small queue.

    def crowd(self) -> None:
        """Records more on the fourth child than its queue can hold, while the parent is away."""
        child, parent = self._family.children[self._family.crowded], self._family.parent
        self._kill(parent, "while a queue fills")
        if not child.is_running:
            self.start(child)
        self._use.wrong_session(child)
        # Items that fit neither into the queue nor into a total are dropped; then, items that fit
        # into totals.
        for _ in range(2 * FEW_ITEMS):
            self._use.brief_session(child, None)
        for number in range(2 * FEW_ITEMS):
            self._use.brief_session(child, f"shared.{number % 3}")
        self.start(parent)

    # A child that is away.

    def leave(self) -> None:
        """Lets commands for the last child be replaced, expire and be cancelled while it is away.
        """
        child, parent = list(self._family.children.values())[-1], self._family.parent
        if not child.is_running:
            self.start(child)
        # A fault of the self-test needs two records of one child, however short the run is.
        for _ in range(2):
            self._use.brief_session(child, None)
        self._kill(child, "while commands wait for it")
        if not parent.is_running:
            self.start(parent)
        for command in self._orders.leave_waiting(child.name):
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                said = self._ask(parent, f"/v1/commands/{command.id}")
                if isinstance(said, dict) and said.get("status") == "expired":
                    break
                time.sleep(0.05)
        self.start(child)

    # The child on the small disk.

    @property
    def is_full(self) -> bool:
        """Returns whether the small disk is filled."""
        return self._filler.exists()

    def fill(self) -> None:
        """Fills the small disk completely."""
        was_full = self.is_full
        with self._filler.open("ab", buffering=0) as file:
            for size in (65_536, 4_096, 1):
                try:
                    while file.write(bytes(size)):
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
        if not was_full:
            used = self._folder_size(self._family.children[self._family.small].folder)
            self._ledger.happened(self._family.small, f"its disk is full; {used} bytes of it are the state folder")

    def restart_full(self) -> None:
        """Restarts the child on the small disk while the disk is full."""
        self.fill()
        child = self._family.children[self._family.small]
        self._kill(child, "on a full disk")
        self.fill()
        self.start(child)

    def make_room(self) -> None:
        """Releases the space that `fill` took."""
        self._filler.unlink(missing_ok=True)
        self._ledger.happened(self._family.small, "its disk has room again")

    @staticmethod
    def _folder_size(folder: pathlib.Path) -> int:
        return sum(os.lstat(path).st_blocks * 512 for path in folder.rglob("*"))

    # All.

    def start(self, node: Node) -> None:
        """Starts a node.

        A failure is booked as a fault, and the start is tried again with room on the disk.
        """
        for _ in range(5):
            reason = node.start()
            if reason is None:
                return
            if node.name == self._family.small and self.is_full:
                self._ledger.found("a node does not start on a full disk", f"{node.name}: {reason}")
                self.make_room()
            else:
                self._ledger.found("a node does not start", f"{node.name}: {reason}")
        raise RuntimeError(f"{node.name} does not start: {reason}")

    def _kill(self, node: Node, moment: str) -> None:
        if node.is_running:
            node.kill()
            self._ledger.killed(node.name, moment)
