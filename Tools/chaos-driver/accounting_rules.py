"""The accounting of rules in force: each child has the registers of the latest executed edits."""
from collections.abc import Callable
from typing import Any

from ledger import Ledger
from observation import ChildSeen, Held, Observation

Faults = Callable[..., None]


def rule_faults(ledger: Ledger, seen: Observation, fault: Faults) -> None:
    """Compares the registers of each child, and those that the parent has set for it, with the
    executed edits.
    """
    for child, there in seen.children.items():
        wanted = _wanted(there)
        for place, held in (("the child's database", there.rules), ("the parent", there.rules_at_parent)):
            for key in sorted({*wanted, *held}):
                if wanted.get(key) != held.get(key):
                    fault(f"a register is not that of the latest edit that was executed, in {place}",
                          f"{key[1]} on {child}: {held.get(key)} instead of {wanted.get(key)}", _history(ledger, child))
        if there.settings["settings"] != seen.parent_settings["settings"]:
            fault("a child shows other settings of the family than the parent",
                  f"{child} has {there.settings['settings']} instead of {seen.parent_settings['settings']}")


def _wanted(there: ChildSeen) -> dict[tuple[str, str], Held]:
    """Returns the registers that a child's executed edits set, the latest edit of each."""
    latest: dict[tuple[str, str], Held] = {}
    for command in there.commands:
        if command["status"] != "executed" or command["payload"]["kind"] != "edit":
            continue
        for register in command["payload"]["payload"]["registers"]:
            key, held = _place(register), _held(register)
            if key not in latest or held.modified > latest[key].modified:
                latest[key] = held
    return latest


def _place(register: dict[str, Any]) -> tuple[str, str]:
    return register["zone"] + (f"/{register['id']}" if register["zone"] == "child" else ""), register["key"]


def _held(register: dict[str, Any]) -> Held:
    modified = register["modified"]
    return Held(register.get("value"), (modified["wall"], modified["counter"]))


def _history(ledger: Ledger, child: str) -> list[str]:
    """Returns the history of the last edits for a child."""
    given = [entry for entry in ledger.commands if entry.key and entry.id and entry.child == child]
    return [f"{entry.title}: {line}" for entry in given[-8:] for line in entry.history]
