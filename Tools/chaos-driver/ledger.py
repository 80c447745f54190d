"""The driver's own books: its requests to the nodes, and their answers."""
import dataclasses
import threading
import time
from typing import Any

from api import ACCEPTED, UNKNOWN
from snapshot import Snapshot

_BEGAN = time.monotonic()

# The kinds of command that edit registers: a rule of a child, its removal, and a setting of the
# family.
EDITS = ("rule", "unset", "family")


def now() -> float:
    """Returns the seconds since the driver started, by a clock that never jumps."""
    return time.monotonic() - _BEGAN


def wall() -> int:
    """Returns the wall time in Unix milliseconds."""
    return time.time_ns() // 1_000_000


@dataclasses.dataclass(kw_only=True)
class Entry:
    """A request to a node."""

    number: int
    child: str
    fate: str = UNKNOWN
    error: str = ""
    at: float = 0.0
    history: list[str] = dataclasses.field(default_factory=list)

    def note(self, text: str) -> None:
        """Adds a line to the history."""
        self.history.append(f"{now():8.3f} s  {text}")


@dataclasses.dataclass(kw_only=True)
class Command(Entry):
    """A command that was issued at the parent."""

    kind: str
    app: str | None = None
    marker: object = None
    expires_after: int | None = None
    is_wrong: bool = False
    id: str | None = None
    payload: Any = None
    # The result of the request to cancel it; `None` if there was none.
    cancel: str | None = None

    @property
    def key(self) -> str | None:
        """The key that commands share if they set the same things, so that the latest wins; `None`
        for a message or a report.
        """
        return "edit" if self.kind in EDITS else None

    @property
    def title(self) -> str:
        """The command in a few words."""
        thing = f" of {self.app}" if self.app else ""
        return f"command {self.number} ({self.kind}{thing}) for {self.child}, {self.id or 'without an ID'}"


@dataclasses.dataclass(kw_only=True)
class Session(Entry):
    """A session of use that was recorded on a child."""

    app: str
    # The display name.
    name: str
    via: str
    is_wrong: bool = False
    # Whether other sessions use the same application.
    is_shared: bool = False
    # Whether it began on the second machine with the child's keys.
    on_copy: bool = False
    record_id: str | None = None
    # The wall times between which it began, and the most milliseconds that its process ran; `None`
    # while unknown.
    began_after: int | None = None
    began_before: int | None = None
    ran: int | None = None
    end_fate: str | None = None
    end_record: Any = None
    ended_at: float | None = None

    @property
    def title(self) -> str:
        """The session in a few words."""
        place = "the copy of " if self.on_copy else ""
        return f"session {self.number} ({self.app}, {self.via}) on {place}{self.child}, {self.record_id or 'without an ID'}"


@dataclasses.dataclass(kw_only=True)
class Setback:
    """A span whose events a child may have lost.

    The child was restored to a state from before it, or a copy lived through it instead.
    """

    child: str
    kind: str
    since: float
    since_wall: int
    until: float = float("inf")
    until_wall: int = 2**62
    # What the child had at the start of the span, and still has.
    kept: Snapshot
    # The records that the parent had at the end of the span.
    delivered: frozenset[str] = frozenset()

    def covers(self, moment_wall: int) -> bool:
        """Returns whether a wall time lies in the span, with one second for messages on their way.
        """
        return self.since_wall - 1_000 <= moment_wall <= self.until_wall + 1_000


class Ledger:
    """All requests, kills and faults.

    Threads may add to it.
    """

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.sessions: list[Session] = []
        self.setbacks: list[Setback] = []
        self.kills: dict[tuple[str, str], int] = {}
        # The number of kills of each node's agent. They are not among the kills of nodes.
        self.agent_kills: dict[str, int] = {}
        # Faults that were found while the nodes ran, with their numbers.
        self.findings: dict[str, list[str]] = {}
        self._lock = threading.Lock()
        self._last = 0

    def number(self) -> int:
        """Returns a number that marks one request."""
        with self._lock:
            self._last += 1
            return self._last

    def add(self, entry: Command | Session) -> None:
        """Books a request before it is sent."""
        entry.at = now()
        with self._lock:
            (self.commands if isinstance(entry, Command) else self.sessions).append(entry)  # type: ignore[arg-type]

    def killed(self, node: str, moment: str) -> None:
        """Books a kill."""
        self.kills[node, moment] = self.kills.get((node, moment), 0) + 1
        for entry in self._recent(node):
            entry.note(f"{node} is killed ({moment})")

    def agent_killed(self, node: str) -> None:
        """Books a kill of a node's agent."""
        self.agent_kills[node] = self.agent_kills.get(node, 0) + 1
        for entry in self._recent(node):
            entry.note(f"the agent of {node} is killed")

    @property
    def agent_kill_count(self) -> int:
        """How often an agent was killed."""
        return sum(self.agent_kills.values())

    @property
    def kill_count(self) -> int:
        """How often a node was killed."""
        return sum(self.kills.values())

    def found(self, what: str, detail: str) -> None:
        """Books a fault that is found while the nodes run."""
        with self._lock:
            self.findings.setdefault(what, []).append(f"{now():8.3f} s  {detail}")

    def happened(self, child: str, text: str) -> None:
        """Adds an event of a child to the history of everything that belongs to the child."""
        for entry in [*self.commands, *self.sessions]:
            if entry.child == child:
                entry.note(text)

    def _recent(self, node: str) -> list[Command | Session]:
        """Returns the requests of the last two seconds that may concern a node."""
        entries: list[Command | Session] = [*self.commands[-60:], *self.sessions[-20:]]
        return [e for e in entries if now() - e.at < 2 and (node == "the parent" or e.child == node)]

    def accepted(self, entries: list[Any]) -> list[Any]:
        """Returns the accepted entries."""
        return [entry for entry in entries if entry.fate == ACCEPTED]
