"""Commands that a child's machine executes and answers with receipts.

Spec: Protocol/06-messages.md sections 3 and 4, Protocol/10-household.md section 2,
Protocol/12-facts.md section 6
"""

import uuid

from . import phrases, registers, schema, texts
from .clock import wall
from .faults import BrokenRule
from .household import CONTROL, RECEIPT, Household

REGISTERS = 9
EXECUTED, FAILED, SUPERSEDED = 1, 2, 4
_OUTCOMES = {EXECUTED: "executed", FAILED: "failed", SUPERSEDED: "superseded"}
# The kinds of command, each with the state in its receipt.
STATES = {
    "edit": "registers", "requestReport": "report", "message": "done", "scanApplications": "applicationsScanned",
    "takePoints": "pointsTaken", "reviewLearning": "learningReviewed",
}  # fmt: skip
_RECORDED = 1
_MESSAGE = 4_096


class _Refused(Exception):
    """A command that must not be executed; the text is the receipt's reason."""


class Commands:
    """Executes the commands of parents, each within the transaction that receives it."""

    def __init__(self, household: Household, points):
        self._household, self._store, self._points = household, household.store, points

    def execute(self, peer: bytes, item) -> dict:
        """Bring a command into force and queue its receipt; return a description."""
        store = self._store
        row = store.one("select receipt from answered where id=?", item.id)
        if row is not None:
            store.enqueue(peer, RECEIPT, 2, item.id, row[0])
            return {"event": "command-again", "id": item.id.hex()}
        receipt, kind = schema.Receipt(command_id=item.id, at=wall()), None
        try:
            if item.kind != 1:
                raise _Refused("This machine does not know this kind of item: update its software.")
            command = self._read(peer, item)
            kind = command.kind
            receipt.outcome = self._effect(command, receipt.state)
        except (_Refused, ValueError) as refused:
            receipt.ClearField("state")
            why = str(refused)
            if not isinstance(refused, _Refused):
                why = f"The {why} is not valid: correct it, then send the command again."
            receipt.outcome = FAILED
            phrases.tell(receipt, why)
        body = receipt.SerializeToString()
        store.run("insert into answered values(?,?)", item.id, body)
        store.enqueue(peer, RECEIPT, 2, item.id, body)
        told = {"event": "command", "id": item.id.hex(), "kind": kind, "outcome": _OUTCOMES[receipt.outcome]}
        return told | ({"reason": receipt.reason} if receipt.reason else {})

    def _read(self, peer: bytes, item):
        try:
            command = schema.parse(schema.Command, item.body)
        except BrokenRule:
            raise _Refused("The command cannot be read: send it again.") from None
        if command.command_id != item.id:
            raise _Refused("The command's ID is not that of its item: send it again.")
        if command.author != peer:
            raise _Refused("The command was not made by the machine that sent it: give it on that machine.")
        return command

    def _effect(self, command, state) -> int:
        """Execute a command and fill in the state in force; return the outcome."""
        match command.kind:
            case "edit":
                return self._edit(command, _payload(schema.Registers, command), state)
            case "requestReport":
                self.report(command.author)
                _state(state, "report", self._told())
            case "message":
                text = _payload(schema.TextMessage, command).text
                texts.require(texts.is_paragraphs(text, 1, _MESSAGE), "text")
                self._store.run("insert or ignore into message values(?,?)", command.command_id, text)
                state.kind = "done"
            case "takePoints":
                asked = _payload(schema.TakePoints, command)
                taken = self._points.take(command.command_id, asked)
                _state(state, "pointsTaken", schema.PointsTaken(milli_points=taken))
            case "reviewLearning":
                asked = _payload(schema.ReviewLearning, command)
                earned, is_new = self._points.review(asked)
                _state(state, "learningReviewed", schema.LearningReviewed(milli_points=earned))
                return EXECUTED if is_new else SUPERSEDED
            case _:
                raise _Refused("This machine does not know this command: update its software.")
        return EXECUTED

    def _edit(self, command, wanted, state) -> int:
        household = self._household
        held, served = household.registers(), set(household.children())
        outcome, holds, after = registers.edit(held, household.own, command.author, list(wanted.registers))
        household.replace(after)
        _state(state, "registers", schema.Registers(registers=holds, enforcement=_RECORDED))
        serves = set(household.children())
        for child in served - serves:
            household.forget_child(child)
        changed = [register for place, register in after.items() if held.get(place) != register]
        for parent in self._store.active():
            if parent != command.author:
                self.send(parent, changed)
        for register in wanted.registers:
            word, _, text = register.key.partition("/")
            if register.zone == registers.MACHINE and word == "child":
                child = uuid.UUID(text).bytes
                if register.HasField("value") and register.value == "yes" and child in serves:
                    household.remember(child)
                    household.begin(command.author, child)
                elif register.value != "yes":
                    household.end(command.author, child)
        return outcome

    def _told(self):
        report = schema.Report(version="python-peer 1", enforcement=_RECORDED)
        report.usage_records = self._store.one("select count(*) from usage")[0]
        report.registers = sum(held.HasField("value") for held in self._household.registers().values())
        return report

    def report(self, parent: bytes) -> None:
        """Queue all registers for a parent."""
        self.send(parent, list(self._household.registers().values()))

    def send(self, parent: bytes, found: list) -> None:
        """Queue registers for a parent, in items of a permitted size."""
        item, size = schema.Registers(), 0
        for register in found:
            weight = registers.weight(register)
            if len(item.registers) == registers.MOST_REGISTERS or size + weight > registers.MOST_BYTES:
                self._store.enqueue(parent, CONTROL, REGISTERS, uuid.uuid4().bytes, item.SerializeToString())
                item, size = schema.Registers(), 0
            item.registers.append(register)
            size += weight
        if item.registers:
            self._store.enqueue(parent, CONTROL, REGISTERS, uuid.uuid4().bytes, item.SerializeToString())


def _payload(kind, command):
    try:
        return schema.parse(kind, command.payload)
    except BrokenRule:
        raise _Refused("The command cannot be read: send it again.") from None


def _state(state, kind: str, message) -> None:
    state.kind, state.state = kind, message.SerializeToString()
