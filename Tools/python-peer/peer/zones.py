"""The zones of registers on a machine of either role, and the assignment of machines by them.

Spec: Protocol/10-household.md section 2
"""

import uuid
from datetime import date

from . import registers, schema
from .clock import Clock
from .identity import CHILD
from .store import Store


class Zones:
    """The registers in the store; changes are made within its transactions."""

    def __init__(self, store: Store):
        self.store, self.own, self.clock = store, store.keys.device, Clock(store)

    # Registers

    def registers(self) -> dict:
        """Return the registers that this machine holds (a parent: has set) by their places."""
        rows = self.store.all("select register from register order by zone, zone_id, key")
        held = (schema.Register.FromString(row[0]) for row in rows)
        return {registers.place(register): register for register in held}

    def replace(self, held: dict) -> None:
        """Store these registers and no others."""
        with self.store.transaction():
            self.store.run("delete from register")
            for place, register in held.items():
                self.store.run("insert into register values(?,?,?,?)", *place, register.SerializeToString())

    def serves(self, machine: bytes, child: bytes) -> bool:
        """Tell whether a machine is assigned to a child, by the registers of this one."""
        return child in registers.children(self.registers(), machine)

    def has_served(self, machine: bytes, child: bytes) -> bool:
        """Tell whether a machine is or was assigned to a child, by the registers of this one."""
        return (registers.MACHINE, machine, f"child/{uuid.UUID(bytes=child)}") in self.registers()

    def children(self) -> list[bytes]:
        """Return the children whose zones this machine holds."""
        if self.store.role == CHILD:
            return sorted(registers.children(self.registers(), self.own))
        return sorted({place[1] for place in self.registers() if place[0] == registers.CHILD})

    def machines(self, child: bytes) -> list[bytes]:
        """Return a child's machines, by the registers of this parent's machine."""
        key = f"child/{uuid.UUID(bytes=child)}"
        found = [place[1] for place, register in self.registers().items()
                 if (place[0], place[2], register.value) == (registers.MACHINE, key, "yes")]  # fmt: skip
        return sorted(found)

    def forget_registers(self, oldest: date) -> None:
        """Delete the registers of days before one, and reports of such registers."""
        for zone, zone_id, key in self.registers():
            day = registers.day(key)
            if day is not None and day < oldest:
                self.store.run("delete from register where zone=? and zone_id=? and key=?", zone, zone_id, key)
        self.store.run("delete from told where key glob 'today/????-??-??/*' and key<?", f"today/{oldest}")
        self.store.run(
            "delete from told where key glob 'days/????-??-??..????-??-??/*' and substr(key, 18, 10)<?", str(oldest)
        )
