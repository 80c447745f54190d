"""The commands of a parent's machine, and their receipts.

Spec: Protocol/06-messages.md sections 3 and 4, Protocol/10-household.md section 2
"""

import os
import uuid

from . import phrases, registers, schema
from .clock import wall
from .commands import STATES
from .faults import BrokenRule
from .household import COMMAND, Household
from .registers import CHILD, FAMILY, MACHINE
from .store import Store

_OUTCOMES = {1: "executed", 2: "failed", 3: "expired", 4: "superseded"}


def uuid7() -> bytes:
    """Return a new ID that sorts after those made before it."""
    rest = int.from_bytes(os.urandom(10), "big")
    number = (wall() << 80) | (7 << 76) | ((rest >> 64 & 0xFFF) << 64) | (2 << 62) | (rest & 2**62 - 1)
    return number.to_bytes(16, "big")


class Edits:
    """The edits and commands of a parent's machine; each method is one transaction."""

    def __init__(self, store: Store):
        self.household, self.store = Household(store), store
        store.paired = self._greet

    # Edits

    def add(self, name: str) -> bytes:
        """Add a child; return its ID."""
        child = uuid7()
        self.edit((CHILD, child, "name", name))
        return child

    def assign(self, machine: bytes, child: bytes, serves: bool = True) -> None:
        """Assign a machine to a child, or end the assignment."""
        self.edit((MACHINE, machine, f"child/{uuid.UUID(bytes=child)}", "yes" if serves else None))

    def edit(self, *changes: tuple[int, bytes, str, str | None]) -> None:
        """Set registers, and queue them for each machine that holds one of their zones."""
        with self.store.transaction():
            household, at = self.household, self.household.clock.stamp()
            held = household.registers()
            before = {machine: self._zones(held, machine) for machine in self.store.active()}
            new = [registers.make(*change, at) for change in changes]
            if (FAMILY, b"", "family/zone") not in held:
                new.append(registers.make(FAMILY, b"", "family/zone", "UTC", (0, 0, household.own)))
            for register in new:
                registers.check(register)
                held[registers.place(register)] = register
            household.replace(held)
            places = {registers.place(register) for register in new}
            for machine, zones in before.items():
                now_held = self._zones(held, machine)
                begun = now_held - zones
                wanted = [place for place in held if place[:2] in begun or (place in places and place[:2] in now_held)]
                self._send(machine, [held[place] for place in wanted])
                for zone, child in zones - now_held:
                    if zone == CHILD:
                        household.end(machine, child)
            self._state_machines()

    def _zones(self, held: dict, machine: bytes) -> set[tuple[int, bytes]]:
        children = {(CHILD, child) for child in registers.children(held, machine)}
        return {(FAMILY, b""), (MACHINE, machine)} | children

    def _send(self, machine: bytes, wanted: list) -> None:
        """Queue edits.

        The machine's own zone comes first, since the machine accepts nothing of a child's without
        it.
        """
        order = {MACHINE: 0, FAMILY: 1, CHILD: 2}
        wanted = sorted(wanted, key=lambda register: (order[register.zone], register.zone_id, register.key))
        payload, size = schema.Registers(), 0
        for register in wanted:
            weight = registers.weight(register)
            if len(payload.registers) == registers.MOST_REGISTERS or size + weight > registers.MOST_BYTES:
                self.command(machine, "edit", payload)
                payload, size = schema.Registers(), 0
            payload.registers.append(register)
            size += weight
        if payload.registers:
            self.command(machine, "edit", payload)

    def _greet(self, machine: bytes) -> None:
        held = self.household.registers()
        self._send(machine, [held[place] for place in held if place[:2] in self._zones(held, machine)])

    def repeat(self, machine: bytes) -> None:
        """Queue the part of the control stream again that a machine has lost."""
        self.household.send_all_facts(machine)

    def _state_machines(self) -> None:
        """State a child's machines if they have changed."""
        household = self.household
        for child in household.children():
            wanted = tuple(household.machines(child)[:64])
            said = [fact for fact in household.facts(child, "machines") if fact.author == household.own]
            if [fact.said for fact in said] != [wanted] and (said or wanted):
                wall_, counter, own = household.clock.stamp(after=said[0].at if said else ())
                text = " ".join([own.hex(), str(wall_), str(counter), *(machine.hex() for machine in wanted)])
                household.make(child, "machines", text)

    # Commands

    def command(self, machine: bytes, kind: str, payload=None) -> bytes:
        """Queue a command; return its ID."""
        with self.store.transaction():
            body = payload.SerializeToString() if payload is not None else b""
            id_, own = uuid7(), self.household.own
            command = schema.Command(command_id=id_, author=own, created_at=wall(), kind=kind, payload=body)
            insert = "insert into command(id, machine, kind, payload, status) values(?,?,?,?,'queued')"
            self.store.run(insert, id_, machine, kind, body)
            self.store.enqueue(machine, COMMAND, 1, id_, command.SerializeToString())
            return id_

    def take_receipt(self, peer: bytes, item) -> list[dict]:
        """Handle a machine's receipt; one that does not fit its command makes the command failed.
        """
        row = self.store.one("select machine, kind, payload, status from command where id=?", item.id)
        if row is None or row[0] != peer or row[3] != "queued":
            return []
        kind, payload = row[1], row[2]
        status, reason, state = "failed", "The machine's answer does not fit the command.", None
        phrase = None
        try:
            receipt = schema.parse(schema.Receipt, item.body)
            if receipt.outcome == 5:
                return []
            if receipt.command_id == item.id and self._fits(kind, payload, receipt):
                status, reason, state = _OUTCOMES[receipt.outcome], receipt.reason, receipt.state.state
                phrase = phrases.read(receipt)
        except BrokenRule:
            pass
        self.store.run("update command set status=?, reason=?, answer=? where id=?", status, reason, state, item.id)
        if kind == "edit" and status == "executed":
            self._begin(peer, schema.Registers.FromString(payload))
        told = {"event": "receipt", "kind": kind, "outcome": status, "reason": reason}
        return [told | ({"phrase": phrase} if phrase else {})]

    def _fits(self, kind: str, payload: bytes, receipt) -> bool:
        """Tell whether a receipt's state is one that the command can have; 06 section 4."""
        if receipt.outcome not in _OUTCOMES:
            return False
        if receipt.outcome in (2, 3):
            return True
        if receipt.state.kind != STATES[kind]:
            return False
        if kind == "edit":
            return self._fits_edit(payload, receipt)
        if kind == "takePoints":
            taken = schema.parse(schema.PointsTaken, receipt.state.state).milli_points
            return receipt.outcome == 1 and 0 <= taken <= schema.TakePoints.FromString(payload).milli_points
        return receipt.outcome == 1 or kind == "reviewLearning"

    def _fits_edit(self, payload: bytes, receipt) -> bool:
        wanted = schema.Registers.FromString(payload).registers
        told = schema.parse(schema.Registers, receipt.state.state).registers
        if list(map(registers.place, wanted)) != list(map(registers.place, told)):
            return False
        pairs = list(zip(wanted, told, strict=True))
        times = [(registers.time(one.modified), registers.time(other.modified)) for one, other in pairs]
        if receipt.outcome == 4:
            for register in told:
                self.household.clock.witness(registers.time(register.modified))
            return all(after > before for before, after in times)
        return any(one == other for one, other in pairs) and all(after >= before for before, after in times)

    def _begin(self, machine: bytes, edit) -> None:
        """Handle that a machine has executed an edit which makes it a child's, and gets the child's
        facts from now on.
        """
        for register in edit.registers:
            word, _, text = register.key.partition("/")
            if register.zone == MACHINE and word == "child" and register.value == "yes":
                child = uuid.UUID(text).bytes
                if self.household.serves(machine, child):
                    self.household.begin(machine, child)
                    self.begun(machine, child)

    def begun(self, machine: bytes, child: bytes) -> None:
        """Begin to send a machine a child's facts; within the transaction."""
