"""What a run prints in the end."""
from collections import Counter

from accounting import Fault, Verdict
from ledger import Command, Ledger, Session, now
from options import Options

# The most faults of one kind that are printed with their history.
_SHOWN = 3


def show(ledger: Ledger, verdict: Verdict, options: Options) -> int:
    """Prints the faults and the table, and returns the exit status."""
    kinds: dict[str, list[Fault]] = {}
    for fault in verdict.faults:
        kinds.setdefault(fault.what, []).append(fault)
    for what, faults in kinds.items():
        print(f"\nUNACCOUNTED: {what} ({len(faults)})")
        for fault in faults[:_SHOWN]:
            print(f"  - {fault.title}")
            for line in fault.history:
                print(f"      {line}")
        if len(faults) > _SHOWN:
            print(f"  … and {len(faults) - _SHOWN} more")
    print()
    _table("kills", _kills(ledger))
    _table("kills of agents", Counter(ledger.agent_kills))
    _table("commands", _fates(ledger.commands))
    _table("accepted commands, in the end", verdict.commands)
    _table("sessions of use", _fates(ledger.sessions))
    _table("accepted sessions, in the end", verdict.sessions)
    _table("unaccounted", Counter({what: len(faults) for what, faults in kinds.items()}))
    commands = sum(1 for c in ledger.commands if c.id is not None)
    sessions = sum(1 for s in ledger.sessions if s.fate == "accepted")
    # The kills at the end are in addition to the requested ones. When time was up, there were
    # fewer.
    kills = str(ledger.kill_count) if ledger.kill_count >= options.kills else f"{ledger.kill_count} of {options.kills}"
    end = "all accounted for" if not verdict.faults else f"{len(verdict.faults)} UNACCOUNTED FOR"
    print(f"chaos: seed {options.seed}, {kills} kills and {ledger.agent_kill_count} of agents, {options.children} children, "
          f"{commands} commands and "
          f"{sessions} sessions accepted, {now():.0f} s, {end}")
    return 1 if verdict.faults else 0


def _kills(ledger: Ledger) -> Counter[str]:
    result: Counter[str] = Counter()
    for (node, moment), times in ledger.kills.items():
        result[f"{node}, {moment}"] += times
    return result


def _fates(entries: list[Command] | list[Session]) -> Counter[str]:
    result: Counter[str] = Counter()
    for entry in entries:
        wrong = ", wrong by intent" if entry.is_wrong else ""
        code = ""
        if entry.fate == "refused" and (words := entry.error.split()) and len(words) > 2 and words[1].isdigit():
            code = f" with {words[1]}"
        result[f"{entry.fate}{code}{wrong}"] += 1
    return result


def _table(title: str, rows: Counter[str]) -> None:
    print(f"  {title}: {sum(rows.values())}")
    for name, times in sorted(rows.items(), key=lambda row: (-row[1], row[0])):
        print(f"    {times:6}  {name}")
