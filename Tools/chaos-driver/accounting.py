"""The accounting compares the driver's books with the state in the end.

Every accepted request has a true end, no refused request has an effect, and nothing exists that was
not requested. Anything else is a `Fault`, with the history of the request.
"""
import dataclasses
from collections import Counter

from accounting_commands import CommandAccounts
from accounting_rules import rule_faults
from accounting_use import UseAccounts
from ledger import Ledger
from observation import Observation


@dataclasses.dataclass
class Fault:
    """Something that is not accounted for."""

    what: str
    title: str
    history: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Verdict:
    """The result of the accounting."""

    faults: list[Fault]
    # The number of times that each final state was found.
    commands: Counter[str]
    sessions: Counter[str]


def account(ledger: Ledger, seen: Observation) -> Verdict:
    """Returns the end of every request, and the faults."""
    faults: list[Fault] = []

    def fault(what: str, title: str, history: list[str] | None = None) -> None:
        faults.append(Fault(what, title, list(history or [])))

    for what, details in ledger.findings.items():
        fault(what, f"{len(details)} times; first: {details[0]}", details[1:4])
    for damage in seen.damaged:
        fault("a database is damaged", damage)
    for sentence in seen.outstanding:
        fault("something was still outstanding in the end", sentence)
    for sentence in seen.without_agent:
        fault("a node has no agent in the end", sentence)
    commands = CommandAccounts(ledger, seen, fault)
    commands.account()
    rule_faults(ledger, seen, fault)
    use = UseAccounts(ledger, seen, fault)
    use.account()
    return Verdict(faults, commands.states, use.states)
