"""The accounting of what holds in the end: each child's rules and settings are those of the newest executed commands."""
from collections.abc import Callable
from typing import Any

from ledger import Ledger
from observation import ChildSeen, Observation, Rule, rule_of

Faults = Callable[..., None]


def rule_faults(ledger: Ledger, seen: Observation, fault: Faults) -> None:
    """Compares what holds on each child, and what the parent shows of it, with the commands that were executed."""
    newest: dict[str, Any] | None = None
    for child, there in seen.children.items():
        executed = [c for c in there.commands if c["status"] == "executed"]
        _rules(child, there, executed, ledger, fault)
        settings = [c["payload"]["setFamilySettings"]["_0"] for c in executed if "setFamilySettings" in c["payload"]]
        if settings:
            last = max(settings, key=lambda s: int(s["version"]))
            if there.settings != last:
                fault("a child's family settings are not the newest", f"{child} has {there.settings} instead of {last}",
                      _history(ledger, "family", child))
            if newest is None or last["version"] > newest["version"]:
                newest = last
    if newest is not None and seen.parent_settings != newest:
        fault("the parent's family settings are not the newest", f"it shows {seen.parent_settings} instead of {newest}",
              _history(ledger, "family"))


def _history(ledger: Ledger, key: str, child: str | None = None) -> list[str]:
    """Returns what happened to the last commands for one thing."""
    given = [entry for entry in ledger.commands if entry.key == key and entry.id and child in (None, entry.child)]
    return [f"{entry.title}: {line}" for entry in given[-8:] for line in entry.history]


def _rules(child: str, there: ChildSeen, executed: list[dict[str, Any]], ledger: Ledger, fault: Faults) -> None:
    """Compares the rules of one child."""
    last: dict[str, tuple[tuple[int, int], Rule | None]] = {}
    for command in executed:
        payload = command["payload"]
        if "setApp" in payload:
            rule = rule_of(payload["setApp"]["_0"])
            app, modified, result = rule.app, rule.modified, rule
        elif "removeApp" in payload:
            removal = payload["removeApp"]
            app, modified, result = removal["_0"], (removal["modified"]["wall"], removal["modified"]["counter"]), None
        else:
            continue
        if app not in last or modified > last[app][0]:
            last[app] = (modified, result)
    places = (("the child's database", there.rules), ("the parent", there.rules_at_parent))
    for app in {*last, *(rule.app for _, rules in places for rule in rules)}:
        expected = last[app][1] if app in last else None
        for place, rules in places:
            held = [rule for rule in rules if rule.app == app]
            if held != ([expected] if expected else []):
                fault(f"a rule is not that of the newest command that was executed, in {place}",
                      f"{app} on {child}: {held} instead of {expected}", _history(ledger, f"app:{app}", child))
