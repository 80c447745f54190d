"""The commands that are given at the parent."""
import random
from concurrent.futures import Future, ThreadPoolExecutor

from api import ACCEPTED, UNREACHABLE
from family import Family
from ledger import Command, Ledger
from words import app_suffix, is_wrong, message



def _action(kind: str, payload: dict[str, object]) -> dict[str, object]:
    """Returns what is asked, as a request's members."""
    return {"kind": kind, "payload": payload}


class Orders:
    """Gives commands of all kinds to the family, and books what becomes of them."""

    def __init__(self, family: Family, ledger: Ledger, chance: random.Random, threads: ThreadPoolExecutor) -> None:
        self._family = family
        self._ledger = ledger
        self._chance = chance
        self._threads = threads

    def burst(self, count: int, child: str | None = None) -> list["Future[None]"]:
        """Gives commands from several threads, to one child or to any."""
        orders = [self._command(child or self._chance.choice(list(self._family.children))) for _ in range(count)]
        return [self._threads.submit(self._give, command, request) for command, request in orders]

    def leave_waiting(self, child: str) -> list[Command]:
        """Gives a child that is away commands that are replaced, run out and are taken back; returns what can run out."""
        for kind in ["setApp"] * 8 + ["wrong"] * 3:
            self._give(*self._command(child, kind))
        short = [self._command(child, "message", 1_000) for _ in range(2)]
        report, request = self._command(child, "requestReport")
        for command, sent in [*short, (report, request)]:
            self._give(command, sent)
        if report.fate == ACCEPTED:
            self._take_back(report)
        return [command for command, _ in short if command.fate == ACCEPTED]

    def _command(self, child: str, kind: str = "", expires_after: int | None = None
                 ) -> tuple[Command, dict[str, object]]:
        """Makes a command, and the request for it."""
        chance, number = self._chance, self._ledger.number()
        kind = kind or chance.choices(("setApp", "removeApp", "setFamilySettings", "requestReport", "message", "wrong"),
                              (45, 8, 7, 7, 25, 8))[0]
        if kind == "wrong":
            return self._wrong(number, child)
        command = Command(number=number, child=child, kind=kind)
        action: dict[str, object] = {}
        if kind in ("setApp", "removeApp"):
            command.app = f"game.{chance.randrange(6)}"
        if kind == "setApp":
            # The rate and the name are nobody else's, and mark the command where only one of them is kept.
            command.marker = f"n{number}{app_suffix(chance)}"
            change: dict[str, object] = {"appID": command.app, "displayName": command.marker, "milliPointsPerMinute": number}
            if chance.random() < 0.5:
                change["category"] = chance.choice(("learning", "reward", "neutral"))
            if chance.random() < 0.3:
                change["isBlocked"] = chance.random() < 0.5
            if chance.random() < 0.2:
                change["isEnabled"] = chance.random() < 0.5
            if chance.random() < 0.5:
                change["dailyLimitMinutes"] = chance.randrange(-1, 1_441)
            action = _action("setApp", change)
        elif kind == "removeApp":
            action = _action("removeApp", {"appID": command.app})
        elif kind == "setFamilySettings":
            command.marker = number
            action = _action("setFamilySettings", {
                "defaultMilliPointsPerMinute": number, "minutesPerPoint": chance.randrange(1, 1_441),
                "minimumSessionMinutes": 0, "dayStartHour": chance.randrange(24), "zone": "Europe/Berlin"})
        elif kind == "requestReport":
            action = _action("requestReport", {})
        else:
            command.marker = f"n{number}: {message(chance)}"
            action = _action("message", {"text": command.marker})
        command.is_wrong = isinstance(command.marker, str) and is_wrong(command.marker)
        if command.marker is None:
            # How long it may wait is nobody else's either.
            command.expires_after = 1_000_000_000 + number
            command.marker = command.expires_after
        elif expires_after is not None:
            command.expires_after = expires_after
        elif chance.random() < 0.12:
            command.expires_after = chance.randrange(1_000, 4_000)
        return command, self._request(command, child, action)

    def _wrong(self, number: int, child: str) -> tuple[Command, dict[str, object]]:
        """Makes a command that must be refused."""
        kind = self._chance.choice(("setApp", "message"))
        command = Command(number=number, child=child, kind=kind, is_wrong=True, marker=f"n{number}")
        change: dict[str, object] = {"appID": "game.0", "displayName": command.marker}
        wrong: list[tuple[dict[str, object], str]] = [
            (_action("setApp", change | {"milliPointsPerMinute": -1}), child),
            (_action("setApp", change | {"milliPointsPerMinute": 2**63 - 1}), child),
            (_action("setApp", change | {"category": "fun"}), child),
            (_action("setApp", change | {"dailyLimitMinutes": 1_441}), child),
            (_action("setApp", change | {"appID": "two words"}), child),
            (_action("setApp", change), "Nobody's PC"),
        ]
        if kind == "message":
            wrong = [(_action("message", {"text": f"n{number}" + "x" * 4_096}), child),
                     (_action("message", {"text": ""}), child),
                     (_action("message", {}), child), (_action("massage", {"text": f"n{number}"}), child)]
        action, device = self._chance.choice(wrong)
        if self._chance.random() < 0.2:
            command.expires_after = 10
        return command, self._request(command, device, action)

    def _request(self, command: Command, device: str, action: dict[str, object]) -> dict[str, object]:
        command.note(f"is to be given at the parent: {str(action)[:200]}")
        self._ledger.add(command)
        request: dict[str, object] = {"device": device} | action
        if command.expires_after is not None:
            request["expiresAfter"] = command.expires_after
        return request

    def _give(self, command: Command, request: dict[str, object]) -> None:
        answer = self._family.parent.ask("POST", "/v1/commands", request)
        command.fate, command.error = answer.fate, answer.words
        command.note(answer.words)
        if answer.fate == ACCEPTED:
            command.id, command.payload = answer.body["commandID"], answer.body["payload"]
            command.note(f"is {command.id}")
            if command.is_wrong:
                self._ledger.found("a wrong command was accepted", f"{command.title}: {request}")

    def cancel(self, away: set[str]) -> None:
        """Takes a recent command back, rather one for a child that is away."""
        recent = [c for c in self._ledger.commands[-30:] if c.fate == ACCEPTED and c.cancel is None]
        waiting = [c for c in recent if c.child in away]
        if not recent:
            return
        command = self._chance.choice(waiting if waiting and self._chance.random() < 0.8 else recent)
        self._take_back(command)

    def _take_back(self, command: Command) -> None:
        answer = self._family.parent.ask("DELETE", f"/v1/commands/{command.id}")
        if answer.fate != UNREACHABLE:
            command.cancel = answer.fate
        command.note(f"is to be taken back: {answer.words}")
