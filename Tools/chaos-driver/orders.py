"""The commands that are issued at the parent."""
import random
import urllib.parse
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from api import ACCEPTED, UNREACHABLE
from family import Family
from ledger import EDITS, Command, Ledger
from words import app_suffix, is_wrong, message

# A register that every edit also sets, to a value that no other edit uses.
MARK = "app/mark/name"

Request = tuple[str, dict[str, Any]]


def _change(key: str, value: object | None) -> dict[str, object]:
    """Returns a change of a rule, or its removal if there is no value."""
    return {"key": key} if value is None else {"key": key, "value": str(value)}


class Orders:
    """Issues commands of all kinds to the family, and books the results."""

    def __init__(self, family: Family, ledger: Ledger, chance: random.Random, threads: ThreadPoolExecutor) -> None:
        self._family = family
        self._ledger = ledger
        self._chance = chance
        self._threads = threads

    def burst(self, count: int, child: str | None = None) -> list["Future[None]"]:
        """Issues commands from several threads, to one child or to any."""
        orders = [self._command(child or self._chance.choice(list(self._family.children))) for _ in range(count)]
        return [self._threads.submit(self._give, commands, request) for commands, request in orders]

    def leave_waiting(self, child: str) -> list[Command]:
        """Queues commands for an absent child that wait, expire and are cancelled; returns those
        that can expire.
        """
        for kind in ["rule"] * 8 + ["wrong rule"] * 2 + ["wrong"] * 2:
            self._give(*self._command(child, kind))
        short = [self._command(child, "message", 1_000) for _ in range(2)]
        reports, request = self._command(child, "requestReport")
        for commands, sent in [*short, (reports, request)]:
            self._give(commands, sent)
        if reports[0].fate == ACCEPTED:
            self._take_back(reports[0])
        return [command for commands, _ in short for command in commands if command.fate == ACCEPTED]

    def _command(self, child: str, kind: str = "", expires_after: int | None = None) -> tuple[list[Command], Request]:
        """Returns a command and the request for it; a setting of the family is a command for each
        machine.
        """
        chance, number = self._chance, self._ledger.number()
        kind = kind or chance.choices(("rule", "unset", "family", "requestReport", "message", "wrong"),
                              (45, 8, 7, 7, 25, 8))[0]
        if kind in ("wrong", "wrong rule"):
            return self._wrong(number, child, "rule" if kind == "wrong rule" else chance.choice(("rule", "message")))
        if kind in EDITS:
            return self._edit(number, child, kind)
        command = Command(number=number, child=child, kind=kind)
        payload: dict[str, object] = {}
        if kind == "message":
            command.marker = f"n{number}: {message(chance)}"
            payload = {"text": command.marker}
            command.is_wrong = is_wrong(command.marker)
            if expires_after is not None:
                command.expires_after = expires_after
            elif chance.random() < 0.12:
                command.expires_after = chance.randrange(1_000, 4_000)
        else:
            # No other command has the same lifetime.
            command.expires_after = 1_000_000_000 + number
            command.marker = command.expires_after
        return [command], self._request(command, child, kind, payload)

    def _edit(self, number: int, child: str, kind: str) -> tuple[list[Command], Request]:
        """Returns an edit of a child's rules, or of the family's."""
        chance, app = self._chance, f"game.{self._chance.randrange(6)}"
        marker = f"n{number}{app_suffix(chance)}"
        changes = [_change(MARK, marker)]
        if kind == "rule":
            category = chance.choice(("learning", "reward", "neutral"))
            some = {"category": category, "rate": number, "blocked": chance.choice(("yes", "no")),
                    "enabled": chance.choice(("yes", "no")), "limit": chance.randrange(1_441), "name": f"Game {number}"}
            chosen = chance.sample(sorted(some), chance.randrange(1, 4))
            changes += [_change(f"app/{app}/{part}", some[part]) for part in chosen]
        elif kind == "unset":
            changes += [_change(f"app/{app}/{part}", None) for part in ("category", "rate", "blocked", "limit")]
        else:
            changes += [_change("points/minutesPerPoint", chance.randrange(1, 1_441)),
                        _change("family/dayStart", chance.randrange(24))]
        machines = list(self._family.children) if kind == "family" else [child]
        commands = [Command(number=number, child=name, kind=kind, marker=marker, is_wrong=is_wrong(marker),
                            app=None if kind == "family" else app) for name in machines]
        return commands, self._book(commands, self._path(child, kind), {"changes": changes})

    @staticmethod
    def _path(child: str, kind: str) -> str:
        return "/v1/settings" if kind == "family" else f"/v1/rules?child={urllib.parse.quote(child, safe='')}"

    def _wrong(self, number: int, child: str, kind: str) -> tuple[list[Command], Request]:
        """Returns a command that must be refused."""
        command = Command(number=number, child=child, kind=kind, is_wrong=True, marker=f"n{number}")
        if kind == "rule":
            key, value, whose = self._chance.choice([
                ("app/game.0/rate", "-1", child), ("app/game.0/rate", "9999999999", child),
                ("app/game.0/category", "fun", child), ("app/game.0/limit", "1441", child),
                ("app/two words/blocked", "yes", child), ("app/game.0/colour", "red", child),
                ("app/game.0/blocked", "yes", "Nobody")])
            changes = [_change(MARK, command.marker), _change(key, value)]
            return [command], self._book([command], self._path(whose, kind), {"changes": changes})
        wrong: list[tuple[str, dict[str, object]]] = [
            ("message", {"text": f"n{number}" + "x" * 4_096}), ("message", {"text": ""}), ("message", {}),
            ("massage", {"text": f"n{number}"}), ("edit", {"registers": []})]
        name, payload = self._chance.choice(wrong)
        if self._chance.random() < 0.2:
            command.expires_after = 10
        return [command], self._request(command, child, name, payload)

    def _request(self, command: Command, device: str, kind: str, payload: dict[str, object]) -> Request:
        request: dict[str, Any] = {"device": device, "kind": kind, "payload": payload}
        if command.expires_after is not None:
            request["expiresAfter"] = command.expires_after
        return self._book([command], "/v1/commands", request)

    def _book(self, commands: list[Command], path: str, request: dict[str, Any]) -> Request:
        for command in commands:
            command.note(f"is to be given at the parent: {str(request)[:200]}")
            self._ledger.add(command)
        return path, request

    def _give(self, commands: list[Command], request: Request) -> None:
        answer = self._family.parent.ask("POST", *request)
        given = []
        if answer.fate == ACCEPTED:
            given = answer.body["commands"] if commands[0].kind in EDITS else [answer.body]
        for command in commands:
            command.fate, command.error = answer.fate, answer.words
            command.note(answer.words)
            if answer.fate != ACCEPTED:
                continue
            if command.is_wrong:
                self._ledger.found("a wrong command was accepted", f"{command.title}: {request}")
            device = self._family.devices[command.child]
            mine = [one for one in given if one["target"] == device]
            if len(mine) != 1:
                self._ledger.found("a machine got not one command of what was set", f"{command.title}: {given}")
                continue
            command.id, command.payload = mine[0]["commandID"], mine[0]["payload"]
            command.note(f"is {command.id}")

    def cancel(self, away: set[str]) -> None:
        """Cancels a recent command, preferably for an absent child."""
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
