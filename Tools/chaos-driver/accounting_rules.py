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
        settings = [c["payload"]["payload"] for c in executed if c["payload"]["kind"] == "setFamilySettings"]
        if settings:
            last = max(settings, key=_time)
            if there.settings != last:
                fault("a child's family settings are not the newest", f"{child} has {there.settings} instead of {last}",
                      _history(ledger, "family", child))
            if newest is None or _time(last) > _time(newest):
                newest = last
    if newest is not None and seen.parent_settings != newest:
        fault("the parent's family settings are not the newest", f"it shows {seen.parent_settings} instead of {newest}",
              _history(ledger, "family"))


def _time(thing: dict[str, Any]) -> tuple[int, int]:
    """Returns when something was set, by the hybrid clock."""
    return thing["modified"]["wall"], thing["modified"]["counter"]


def _history(ledger: Ledger, key: str, child: str | None = None) -> list[str]:
    """Returns what happened to the last commands for one thing."""
    given = [entry for entry in ledger.commands if entry.key == key and entry.id and child in (None, entry.child)]
    return [f"{entry.title}: {line}" for entry in given[-8:] for line in entry.history]


def _rules(child: str, there: ChildSeen, executed: list[dict[str, Any]], ledger: Ledger, fault: Faults) -> None:
    """Compares the rules of one child."""
    last: dict[str, tuple[tuple[int, int], Rule | None]] = {}
    for command in executed:
        kind, payload = command["payload"]["kind"], command["payload"]["payload"]
        if kind == "setApp":
            rule = rule_of(payload)
            app, modified, result = rule.app, rule.modified, rule
        elif kind == "removeApp":
            app, modified, result = payload["appID"], _time(payload), None
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
