"""The end of a run.

All nodes run, everything is delivered, and the nodes' final answers are stored.
"""
import dataclasses
import time
from typing import Any

import api
from family import Family
from ledger import Ledger, now
from scenarios import Scenarios
from use import Use, usage

FINAL = ("executed", "failed", "superseded", "expired", "cancelled")
# The seconds until everything must be in its final state, and the seconds without a change after
# which waiting ends.
PATIENCE = 240
STANDSTILL = 45
# The seconds within which a node must have restarted its agent.
AGENT_PATIENCE = 60


@dataclasses.dataclass
class Facts:
    """The final answers of the nodes over the local API."""

    # By the name of the node.
    status: dict[str, Any] = dataclasses.field(default_factory=dict)
    usage: dict[str, Any] = dataclasses.field(default_factory=dict)
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    # The parent's, by child.
    commands: dict[str, Any] = dataclasses.field(default_factory=dict)
    parent_usage: dict[str, Any] = dataclasses.field(default_factory=dict)
    # Descriptions of what was outstanding when time was up.
    outstanding: list[str] = dataclasses.field(default_factory=list)
    without_agent: list[str] = dataclasses.field(default_factory=list)


def settle(family: Family, ledger: Ledger, use: Use, scenarios: Scenarios) -> Facts:
    """Starts all nodes, waits until nothing is outstanding, and stops them."""
    if scenarios.is_full:
        scenarios.make_room()
    # The parent is killed once more at the end, so that knowledge it has only in memory does not
    # count.
    if family.parent.is_running:
        family.parent.kill()
        ledger.killed(family.parent.name, "at the end")
    for node in family:
        if not node.is_running:
            scenarios.start(node)
    use.end_all()
    use.wait_for_tracked(90)
    began = changed = time.monotonic()
    last: list[str] = []
    while True:
        for node in family:
            if not node.is_running:
                scenarios.start(node)
        outstanding = _outstanding(family)
        if outstanding != last:
            last, changed = outstanding, time.monotonic()
        if not outstanding or time.monotonic() - began > PATIENCE or time.monotonic() - changed > STANDSTILL:
            break
        if time.monotonic() - changed > 5:
            family.parent.ask("POST", "/v1/sync")
        time.sleep(0.25)
    without_agent = _await_agents(family, ledger)
    facts = _gather(family)
    facts.outstanding, facts.without_agent = outstanding, without_agent
    for node in family:
        node.stop()
    ledger.happened("", f"all is stopped at {now():.1f} s")
    return facts


def _await_agents(family: Family, ledger: Ledger) -> list[str]:
    """Returns a sentence about each child's node that has had no agent for too long after a kill.
    """
    deadline = time.monotonic() + AGENT_PATIENCE
    missing = list(family.children.values())
    while missing and time.monotonic() < deadline:
        missing = [node for node in missing if node.agent() is None]
        time.sleep(0.1)
    return [f"{node.name}, after {ledger.agent_kills.get(node.name, 0)} kills of it: {node.last_words()}" for node in missing]


def _outstanding(family: Family) -> list[str]:
    """Returns descriptions of what is outstanding."""
    found: list[str] = []
    for node in family:
        status = _ask(node, "/v1/status")
        for peer in status["peers"]:
            name = peer["device"]["name"]
            if not peer["isConnected"]:
                found.append(f"{node.name} is not connected to {name}: {peer.get('lastError', 'no reason given')}")
            waiting = sum(queue["waitingItems"] for queue in peer["queues"])
            if waiting:
                found.append(f"{waiting} items wait at {node.name} for {name}")
        if node.role == "child":
            still_open = sum(1 for session in usage(node) or [] if session["isOpen"])
            if still_open:
                found.append(f"{still_open} sessions are open on {node.name}")
    for command in _ask(family.parent, "/v1/commands?limit=10000"):
        if command["status"] not in FINAL:
            found.append(f"command {command['commandID']} is {command['status']}")
    return found


def _gather(family: Family) -> Facts:
    facts = Facts()
    for node in family:
        facts.status[node.name] = _ask(node, "/v1/status")
        facts.usage[node.name] = usage(node)
        facts.settings[node.name] = _ask(node, "/v1/settings")
    for name in family.children:
        facts.commands[name] = _ask(family.parent, api.query("/v1/commands", device=name, limit=10_000))
        facts.parent_usage[name] = usage(family.parent, name)
    return facts


def _ask(node: Any, path: str) -> Any:
    answer = node.ask("GET", path, timeout=30)
    if answer.fate != api.ACCEPTED:
        raise RuntimeError(f"{node.name} does not answer {path}: {answer.words}")
    return answer.body
