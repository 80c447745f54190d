"""The accounting of commands."""
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from api import ACCEPTED, REFUSED, UNKNOWN, UNREACHABLE
from ledger import EDITS, Command, Ledger, Setback
from observation import ChildSeen, Observation
from orders import MARK
from settle import FINAL

Faults = Callable[..., None]
# Words by which the parent reports that a child lacks something that it had.
_TOLD = re.compile(r"set back|backup|has lost|no longer has|does not have|earlier state", re.IGNORECASE)

# The part of a listed command that identifies it best.
_TELLING = ("status", "statusAt", "createdAt", "expiresAfter", "reason")


def mark_of(listed: dict[str, Any]) -> str | None:
    """Returns the mark of a person's edit; `None` for an edit by which the node assigned a machine.
    """
    registers = listed["payload"]["payload"]["registers"]
    if any(register["zone"] == "machine" for register in registers):
        return None
    return next((register.get("value") for register in registers if register["key"] == MARK), None)


def is_nodes_own(listed: dict[str, Any]) -> bool:
    """Returns whether the parent's node made a command by itself."""
    return listed["payload"]["kind"] == "edit" and mark_of(listed) is None


def marker(listed: dict[str, Any]) -> object:
    """Returns what identifies a command that the parent lists, as `Command.marker` does."""
    kind, content = listed["payload"]["kind"], listed["payload"]["payload"]
    if kind == "message":
        return content["text"]
    if kind == "edit":
        return mark_of(listed)
    return listed.get("expiresAfter")


def time_of(register: dict[str, Any]) -> tuple[int, int]:
    """Returns the time of a register's edit, by the hybrid clock."""
    modified = register.get("modified", {"wall": -1, "counter": 0})
    return modified["wall"], modified["counter"]


class CommandAccounts:
    """Compares each command with the parent's statement and with the child's database."""

    def __init__(self, ledger: Ledger, seen: Observation, fault: Faults) -> None:
        self._ledger = ledger
        self._seen = seen
        self._fault = fault
        self.states: Counter[str] = Counter()

    def account(self) -> None:
        """Accounts for every command, and for every trace of one."""
        for child, there in self._seen.children.items():
            books = [c for c in self._ledger.commands if c.child == child]
            listed = defaultdict(list)
            for command in there.commands:
                listed[command["commandID"]].append(command)
            self._adopt(books, there)
            for entry in books:
                if entry.fate == ACCEPTED or entry.fate == UNKNOWN and entry.id is not None:
                    self._one(entry, listed.get(entry.id or "", []), there, books)
                elif entry.fate == UNKNOWN:
                    self.states["not accepted, the answer was lost"] += 1
            self._traces(child, books, there, listed)

    def _adopt(self, books: list[Command], there: ChildSeen) -> None:
        """Finds the commands whose answer was lost, and refused commands that exist nevertheless.
        """
        known = {entry.id for entry in books if entry.id is not None}
        by_marker = defaultdict(list)
        for command in there.commands:
            if command["commandID"] not in known and not is_nodes_own(command):
                by_marker[marker(command)].append(command)
        for entry in books:
            found = by_marker.get(entry.marker, []) if entry.marker is not None else []
            if not found or entry.id is not None:
                continue
            if entry.fate in (REFUSED, UNREACHABLE):
                self._fault(f"a command that was {entry.fate} is there", f"{entry.title}: {found[0]}", entry.history)
                continue
            if len(found) > 1:
                self._fault("a command was accepted twice", f"{entry.title}: {found}", entry.history)
            entry.id, entry.payload = found[0]["commandID"], found[0]["payload"]
            entry.note(f"the answer was lost; it was accepted as {entry.id}")

    def _one(self, entry: Command, listed: list[dict[str, Any]], there: ChildSeen, books: list[Command]) -> None:
        """Accounts for one accepted command."""
        def fault(what: str) -> None:
            words = [{key: value for key, value in said.items() if key in _TELLING} for said in listed]
            self._fault(what, f"{entry.title}: the parent says {words}; the child has {applied}", entry.history)

        applied = [a for a in there.applied if a.id == entry.id]
        if len(listed) != 1:
            return fault("a command that was accepted is not at the parent" if not listed else "a command is there twice")
        if len(applied) > 1:
            return fault("a child has a command twice")
        said = listed[0]
        status, outcome = said["status"], applied[0].outcome if applied else None
        if said["payload"] != entry.payload:
            fault("a command is not what was accepted")
        told = bool(_TOLD.search(said.get("reason", "") or "")) or self._is_told(entry.child)
        lost = outcome is None and any(_may_be_lost(said, setback) for setback in self._ledger.setbacks
                                       if setback.child == entry.child)
        if status not in FINAL:
            return fault(f"a command is still {status}")
        if status == "failed" and outcome == "executed" and told and self._was_copied(entry.child, said):
            # Two machines answered with the child's keys. The parent's statement is true of the one
            # that it found without the command.
            self.states["failed, as one of the child and its copy did not have it, and told"] += 1
            return None
        if status in ("cancelled", "expired") and outcome == "executed" and self._was_copied(entry.child, said):
            # The answer had the number of another answer of the copy, and was taken for it. The
            # parent reports that two machines use the keys.
            self.states[f"{status}, and executed by one of the child and its copy"] += 1
            return None
        if outcome is not None and outcome != status:
            # Whatever else the parent shows, the child's actions are the truth.
            return fault(f"a command is {status} at the parent and {outcome} on the child")
        if outcome is None and status in ("executed", "failed"):
            if not lost:
                return fault(f"a command is {status}, and the child knows nothing of it")
            if not told:
                return fault(f"a command is {status}, the child was set back and does not have it, and nothing says so")
            self.states[f"{status}, lost with what the child lost, and told"] += 1
            return None
        why = self._untrue(entry, said, status, outcome, books)
        if why is not None and not (lost and told):
            return fault(why)
        if status == "executed":
            self._effect(entry, said, there, fault)
        self.states[status] += 1
        return None

    def _untrue(self, entry: Command, said: dict[str, Any], status: str, outcome: str | None,
                books: list[Command]) -> str | None:
        """Returns why a final status cannot be true; `None` if it can."""
        if status == "superseded":
            newer = [b for b in books if b.key == entry.key and b.id and entry.id and b.id > entry.id]
            if entry.key is None or not newer:
                return "a command is superseded, and nobody made a later edit"
        elif status == "expired":
            lifetime = said.get("expiresAfter")
            if lifetime is None or said["statusAt"] - said["createdAt"] < lifetime - 100:
                return "a command is expired before its time"
        elif status == "cancelled":
            if entry.cancel not in (ACCEPTED, UNKNOWN):
                return "a command is cancelled, and nobody took it back"
        elif status == "failed":
            return "a command that is right has failed"
        if status != "executed" and outcome is None and not said.get("reason") and status != "cancelled":
            return f"a command is {status}, and no reason is given"
        return None

    def _effect(self, entry: Command, said: dict[str, Any], there: ChildSeen, fault: Callable[[str], None]) -> None:
        """Checks that an executed command had its effect once."""
        state = said.get("stateInForce") or {}
        if entry.kind == "message":
            texts = [text for id_, text in there.messages if id_ == entry.id]
            if texts != [entry.payload["payload"]["text"]]:
                fault(f"a message was executed, and the child has {len(texts)} of it, or another text")
        elif entry.kind in EDITS:
            held = {register["key"]: register for register in state.get("state", {}).get("registers", [])}
            told = held.get(MARK, {})
            if state.get("kind") != "registers" or time_of(told) < time_of(entry.payload["payload"]["registers"][0]):
                fault("an edit was executed, and the state that is told is an earlier one")
            times = sum(1 for action, target, new in there.audit
                        if action == "register.set" and target.endswith(f" {MARK}") and new == entry.marker)
            if times != 1 and told.get("value") == entry.marker:
                fault(f"an edit was executed, and the child's audit has it {times} times")
        elif entry.kind == "requestReport" and state.get("kind") != "report":
            fault("a report was executed, and there is none")

    def _traces(self, child: str, books: list[Command], there: ChildSeen, listed: dict[str, list[dict[str, Any]]]) -> None:
        """Finds effects of commands that were not issued."""
        known = {entry.id for entry in books}
        for id_, commands in listed.items():
            if id_ not in known:
                self._node_gave(child, id_, commands, there)
        for applied in there.applied:
            if applied.id not in listed:
                self._fault("a child has a command that its parent does not know", str(applied))
        executed = {applied.id for applied in there.applied if applied.outcome == "executed"}
        texts = dict(there.messages)
        for id_, text in there.shown:
            if texts.get(id_) != text:
                self._fault("a child shows another text than it has", f"{id_}: {text[:80]!r} instead of "
                            f"{texts.get(id_, 'nothing')[:80]!r}")
        for id_, text in there.messages:
            if id_ not in executed:
                self._fault("a child has a message without having executed its command", f"{id_}: {text[:80]}")

    def _node_gave(self, child: str, id_: str, commands: list[dict[str, Any]], there: ChildSeen) -> None:
        """Accounts for a command of the parent's node, which assigns a machine."""
        if not all(map(is_nodes_own, commands)):
            return self._fault("the parent has a command that nobody gave", str(commands))
        applied = [applied.outcome for applied in there.applied if applied.id == id_]
        for said in commands:
            lost = any(_may_be_lost(said, setback) for setback in self._ledger.setbacks if setback.child == child)
            if applied != [said["status"]] and not (lost and not applied):
                self._fault(f"a command of the node's own is {said['status']}, and the child has {applied}", f"{id_} for {child}")
        return None

    def _was_copied(self, child: str, said: dict[str, Any]) -> bool:
        """Returns whether a copy of a child lived between the issue of a command and its status."""
        return any(setback.child == child and setback.kind == "copied" and said["createdAt"] <= setback.until_wall + 1_000
                   and said["statusAt"] >= setback.since_wall for setback in self._ledger.setbacks)

    def _is_told(self, child: str) -> bool:
        """Returns whether the parent reports in the end that a child was restored."""
        return any(child in warning and _TOLD.search(warning) for warning in self._seen.parent_warnings)


def _may_be_lost(said: dict[str, Any], setback: Setback) -> bool:
    """Returns whether a restored child may have had a command and may lack it now."""
    if said["commandID"] in setback.kept.applied:
        return False
    if said["status"] == "executed":
        return setback.covers(said["statusAt"])
    # The parent may have found out and reported it later.
    return said["createdAt"] <= setback.until_wall + 1_000 and said["statusAt"] >= setback.since_wall
