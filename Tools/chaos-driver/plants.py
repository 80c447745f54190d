"""Planted faults.

Each falsifies the observation in one way, which the accounting must detect.
"""
import copy
import random
from collections.abc import Callable
from typing import Any

from accounting_commands import marker
from api import REFUSED
from ledger import Ledger
from observation import Applied, ChildSeen, Observation
from orders import MARK
from plants_use import PLANTS_IN_USE, NoVictim

# Returns a description of the falsification, and a text that the fault about it contains.
Plant = Callable[[Ledger, Observation, random.Random], tuple[str, str]]


def plant(name: str, ledger: Ledger, seen: Observation, seed: int) -> str:
    """Plants a fault, and returns a description."""
    return PLANTS[name](ledger, seen, random.Random(f"{name} {seed}"))[0]


def self_test(ledger: Ledger, seen: Observation, seed: int) -> int:
    """Plants every fault in turn in a copy of the observation, and returns 0 if each is detected.
    """
    from accounting import account

    known = {(fault.what, fault.title) for fault in account(ledger, seen).faults}
    print(f"chaos: self-test: {len(known)} things are unaccounted for before anything is planted")
    for what, title in sorted(known):
        print(f"  {what}: {title}")
    missed = []
    for name in sorted(PLANTS):
        falsified = copy.deepcopy(seen)
        try:
            done, needle = PLANTS[name](ledger, falsified, random.Random(f"{name} {seed}"))
        except NoVictim as error:
            print(f"  {name:24} NOT TRIED  {error}")
            missed.append(name)
            continue
        caught = [f for f in account(ledger, falsified).faults if (f.what, f.title) not in known and needle in f.title]
        print(f"  {name:24} {'caught' if caught else 'MISSED':9}  {done}{': ' + caught[0].what if caught else ''}")
        missed += [] if caught else [name]
    print(f"chaos: self-test: seed {seed}, {len(PLANTS) - len(missed)} of {len(PLANTS)} planted faults caught"
          + (f", missed or not tried: {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


def _commands(seen: Observation, chance: random.Random, *statuses: str, kind: str | None = None,
              outcome: bool | None = None) -> tuple[str, ChildSeen, dict[str, Any]]:
    """Chooses a command with one of some statuses that the child has, or has not, answered."""
    found = [(name, there, command) for name, there in seen.children.items() for command in there.commands
             if command["status"] in statuses and (kind is None or kind == command["payload"]["kind"])
             and (outcome is None or outcome == any(a.id == command["commandID"] for a in there.applied))]
    if not found:
        raise NoVictim(f"no command {kind or ''} is {' or '.join(statuses)}")
    return chance.choice(found)


def _edits(seen: Observation, chance: random.Random) -> tuple[str, ChildSeen, dict[str, Any]]:
    """Chooses a person's edit that a child has executed and whose mark is in force by the child's
    answer.
    """
    found = [(name, there, command) for name, there in seen.children.items() for command in there.commands
             if command["status"] == "executed" and command["payload"]["kind"] == "edit" and marker(command) is not None
             and any(register.get("value") == marker(command) for register in command["stateInForce"]["state"]["registers"])]
    if not found:
        raise NoVictim("no edit is executed")
    return chance.choice(found)


def _drop_command(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, command = _commands(seen, chance, "executed", outcome=True)
    # No restoration is known there; otherwise the loss would be reported, rightly.
    seen.parent_warnings = []
    there.applied = [a for a in there.applied if a.id != command["commandID"]]
    return f"{name} has lost the command {command['commandID']}", command["commandID"]


def _double_command(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, command = _commands(seen, chance, "executed", outcome=True)
    there.applied.append(Applied(command["commandID"], "executed"))
    return f"{name} has the command {command['commandID']} twice", command["commandID"]


def _executed_twice(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, command = _edits(seen, chance)
    there.audit += [entry for entry in there.audit if entry[0] == "register.set" and entry[2] == marker(command)]
    return f"{name} has executed the command {command['commandID']} twice", command["commandID"]


def _mark_executed(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    _, _, command = _commands(seen, chance, "cancelled", "expired", "superseded", outcome=False)
    seen.parent_warnings = []
    old, command["status"] = command["status"], "executed"
    command.pop("reason", None)
    return f"the command {command['commandID']} is shown as executed instead of {old}", command["commandID"]


def _mark_superseded(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    _, _, command = _commands(seen, chance, "executed", outcome=True)
    command["status"] = "superseded"
    return f"the command {command['commandID']} is shown as superseded instead of executed", command["commandID"]


def _mark_cancelled(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    given = {c.id for c in ledger.commands if c.cancel is None}
    seen.parent_warnings = []
    for there in seen.children.values():
        for command in there.commands:
            if command["status"] == "expired" and command["commandID"] in given:
                command["status"] = "cancelled"
                command.pop("reason", None)
                return f"the command {command['commandID']} is shown as cancelled", command["commandID"]
    raise NoVictim("no command is expired")


def _unfinished(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    _, _, command = _commands(seen, chance, "executed")
    command["status"] = "stored"
    return f"the command {command['commandID']} is shown as stored", command["commandID"]


def _forgotten_command(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    _, there, command = _commands(seen, chance, "executed", outcome=True)
    there.commands.remove(command)
    return f"the parent has forgotten the command {command['commandID']}", command["commandID"]


def _ghost_command(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    there = chance.choice(list(seen.children.values()))
    there.applied.append(Applied("01a2020e-0000-7000-8000-000000000000", "executed"))
    return "a child has a command that nobody gave", "01a2020e-0000-7000-8000-000000000000"


def _refused_command(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    refused = [c for c in ledger.commands if c.fate == REFUSED and c.kind == "rule"]
    if not refused:
        raise NoVictim("no command was refused")
    entry = chance.choice(refused)
    _, _, other = _edits(seen, chance)
    ghost = copy.deepcopy(other) | {"commandID": "01a2020e-0000-7000-8000-000000000001"}
    for register in ghost["payload"]["payload"]["registers"]:
        if register["key"] == MARK:
            register["value"] = entry.marker
    seen.children[entry.child].commands.append(ghost)
    return f"{entry.title} was refused and is there", entry.title


def _lost_message(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, command = _commands(seen, chance, "executed", kind="message", outcome=True)
    there.messages = [m for m in there.messages if m[0] != command["commandID"]]
    return f"{name} does not show the message {command['commandID']}", command["commandID"]


def _cut_message(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there, command = _commands(seen, chance, "executed", kind="message", outcome=True)
    there.messages = [(id_, text[:-1] if id_ == command["commandID"] else text) for id_, text in there.messages]
    return f"{name} shows the message {command['commandID']} without its end", command["commandID"]


def _old_rule(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    found = [(name, key, held) for name, there in seen.children.items() for key, held in there.rules.items()]
    if not found:
        raise NoVictim("no child has a rule")
    name, key, held = chance.choice(found)
    held.value = "17" if held.value != "17" else "18"
    return f"{name} has another value of {key[1]}", f"{key[1]} on {name}"


def _old_settings(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name, there = chance.choice(list(seen.children.items()))
    there.settings["settings"]["dayStartHour"] += 1
    return f"{name} has other family settings", name


def _silent_setback(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    if not ledger.setbacks:
        raise NoVictim("no child was set back")
    setback = chance.choice(ledger.setbacks)
    there = seen.children[setback.child]
    held = {applied.id for applied in there.applied}
    for command in there.commands:
        if command["status"] == "executed" and command["commandID"] in held:
            there.applied = [a for a in there.applied if a.id != command["commandID"]]
            command["statusAt"] = setback.since_wall
            command.pop("reason", None)
            seen.parent_warnings = []
            return f"nothing says that {setback.child} has lost {command['commandID']}", command["commandID"]
    raise NoVictim(f"{setback.child} has executed nothing")


def _damaged(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    seen.damaged.append("Emma: page 7")
    return "a database is damaged", "page 7"


def _no_agent(ledger: Ledger, seen: Observation, chance: random.Random) -> tuple[str, str]:
    name = chance.choice(list(seen.children))
    seen.without_agent.append(f"{name}, after 1 kills of it: planted")
    return f"{name} has no agent in the end", f"{name}, after"


PLANTS: dict[str, Plant] = {
    "command-lost": _drop_command, "command-twice": _double_command, "command-executed-twice": _executed_twice,
    "command-mark-executed": _mark_executed, "command-mark-superseded": _mark_superseded,
    "command-mark-cancelled": _mark_cancelled, "command-unfinished": _unfinished, "command-forgotten": _forgotten_command,
    "command-ghost": _ghost_command, "command-refused": _refused_command, "message-lost": _lost_message,
    "message-cut": _cut_message, "rule-old": _old_rule, "settings-old": _old_settings, "setback-silent": _silent_setback,
    "database-damaged": _damaged, "agent-missing": _no_agent, **PLANTS_IN_USE,
}
