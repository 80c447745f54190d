"""The sessions of use that are recorded at the children."""
import pathlib
import random
import subprocess
import time
from concurrent.futures import Future, ThreadPoolExecutor

import confinement
from api import ACCEPTED, REFUSED, UNKNOWN, query
from family import Family
from ledger import Ledger, Session, now, wall
from node import Node
from words import app_suffix, is_wrong

# The most sessions with their own process at the same time.
MOST_OPEN = 12


def boot_milliseconds() -> int:
    """Returns the reading of the boot clock."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


class Use:
    """Records sessions of real processes, and books the results.

    Only the main thread starts processes, since the kernel ends them together with the thread that
    started them.
    """

    def __init__(self, family: Family, ledger: Ledger, chance: random.Random, threads: ThreadPoolExecutor) -> None:
        self._family = family
        self._ledger = ledger
        self._chance = chance
        self._threads = threads
        # The open sessions with their processes; and the tracked ones, with the log of `usage
        # track`.
        self._open: list[tuple[Session, Node, subprocess.Popen[bytes]]] = []
        self._tracked: list[tuple[Session, subprocess.Popen[bytes], pathlib.Path]] = []

    def begin_session(self, node: Node, *, on_copy: str | None = None) -> Session | None:
        """Begins a session of a real process on a child, over the local API."""
        if len(self._open) >= MOST_OPEN:
            return None
        session, process = self._prepare(node, on_copy)
        self._begin(session, node, process)
        return session

    def burst(self, node: Node, count: int) -> list["Future[None]"]:
        """Begins and ends sessions on a child from several threads."""
        ready = [self._prepare(node, None) for _ in range(count)]
        return [self._threads.submit(self._begin_and_end, session, node, process, self._chance.random() < 0.7)
                for session, process in ready]

    def brief_session(self, node: Node, app: str | None) -> None:
        """Begins and ends a session on a child, of an application that it may share with other
        sessions.
        """
        session, process = self._prepare(node, None)
        if app is not None:
            session.app, session.is_shared = app, True
        self._begin(session, node, process)
        if session.fate == ACCEPTED:
            self._end_one((session, node, process), is_reported=True)

    def _prepare(self, node: Node, on_copy: str | None) -> tuple[Session, subprocess.Popen[bytes]]:
        """Books a session, and starts its process."""
        number = self._ledger.number()
        session = Session(number=number, child=on_copy or node.name, app=f"use.n{number}", via="local API",
                          on_copy=on_copy is not None,
                          name=f"n{number}{app_suffix(self._chance)}", began_after=wall())
        session.is_wrong = is_wrong(session.name)
        self._ledger.add(session)
        return session, subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", "sleep", "600"],
                                         stdin=subprocess.DEVNULL, process_group=0)

    def _begin(self, session: Session, node: Node, process: subprocess.Popen[bytes]) -> None:
        request = {"appID": session.app, "displayName": session.name, "processID": process.pid,
                   "processStartTime": confinement.start_time(process.pid),
                   "startedAt": {"milliseconds": boot_milliseconds()}, "startedAtWall": wall(),
                   "zone": "Europe/Berlin"}
        answer = node.ask("POST", "/v1/usage/sessions", request)
        session.fate, session.error, session.began_before = answer.fate, answer.words, wall()
        session.note(f"begins on {node.name}: {answer.words}")
        if answer.fate == ACCEPTED:
            session.record_id = answer.body["recordID"]
            session.note(f"is {session.record_id}")
            if session.is_wrong:
                self._ledger.found("a wrong session was accepted", f"{session.title}: {request}")
        if answer.fate in (ACCEPTED, UNKNOWN):
            self._open.append((session, node, process))
        else:
            _end(process)

    def _begin_and_end(self, session: Session, node: Node, process: subprocess.Popen[bytes], ends: bool) -> None:
        self._begin(session, node, process)
        if session.fate == ACCEPTED and ends:
            self._end_one((session, node, process), is_reported=True)

    def wrong_session(self, node: Node) -> None:
        """Begins a session that must be refused."""
        number = self._ledger.number()
        session = Session(number=number, child=node.name, app=f"use.n{number}", name=f"n{number}", via="local API",
                          is_wrong=True)
        request: dict[str, object] = {
            "appID": session.app, "displayName": f"n{number}", "processID": 1, "processStartTime": 1,
            "startedAt": {"milliseconds": boot_milliseconds()}, "startedAtWall": wall(), "zone": "UTC"}
        request |= self._chance.choice((
            {"startedAt": {"milliseconds": boot_milliseconds() + 3_600_000}}, {"startedAt": {"milliseconds": -1}},
            {"startedAtWall": -1}, {"zone": ""}, {"displayName": "x" * 256}, {"processID": "seven"}))
        self._ledger.add(session)
        answer = node.ask("POST", "/v1/usage/sessions", request)
        session.fate, session.error = answer.fate, answer.words
        session.note(f"begins wrongly on {node.name}: {answer.words}: {request}")
        if answer.fate == ACCEPTED:
            session.record_id = answer.body["recordID"]
            self._ledger.found("a wrong session was accepted", f"{session.title}: {request}")

    def track(self, node: Node) -> None:
        """Records a short process through `latchkey usage track`."""
        number = self._ledger.number()
        session = Session(number=number, child=node.name, app=f"use.n{number}", name=f"use.n{number}", via="usage track")
        self._ledger.add(session)
        session.note(f"is tracked on {node.name}")
        log = self._family.logs / f"track-{number}.log"
        self._tracked.append((session, node.track(session.app, self._chance.uniform(0.05, 0.6), log), log))

    def end_session(self, child: str | None = None) -> None:
        """Ends one of the open sessions, by a request to the node or only by the end of its
        process.
        """
        candidates = [entry for entry in self._open if child is None or entry[0].child == child]
        if candidates:
            entry = self._chance.choice(candidates)
            self._end_one(entry, is_reported=entry[0].record_id is not None and self._chance.random() < 0.75)

    def _end_one(self, entry: tuple[Session, Node, subprocess.Popen[bytes]], is_reported: bool) -> None:
        session, node, process = entry
        # A session continues for as long as its program runs.
        _end(process)
        session.ran = wall() - (session.began_after or 0)
        if is_reported:
            answer = node.ask("POST", f"/v1/usage/sessions/{session.record_id}/end",
                              {"endedAt": {"milliseconds": boot_milliseconds()}, "endedAtWall": wall()})
            session.note(f"its end is reported to {node.name}: {answer.words}")
            session.end_fate = answer.fate
            if answer.fate == ACCEPTED:
                session.end_record = answer.body
        else:
            session.note("its process ends, and nobody reports it")
        session.ended_at = now()
        self._open.remove(entry)

    def end_all(self, child: str | None = None) -> None:
        """Ends all open sessions, or those of a child."""
        while any(child is None or entry[0].child == child for entry in self._open):
            self.end_session(child)

    def reap(self) -> None:
        """Books the tracked processes that have ended."""
        for entry in list(self._tracked):
            session, process, log = entry
            if process.poll() is None:
                continue
            self._tracked.remove(entry)
            said = log.read_text(errors="replace").strip()
            session.ended_at = now()
            session.error = said
            if process.returncode != 0:
                # The program was not run, as it must be if the node does not answer or refuses.
                session.fate = REFUSED
            elif "NOT recorded" in said:
                session.fate = UNKNOWN
            else:
                session.fate = ACCEPTED
            session.note(f"`usage track` ends with {process.returncode}: {session.fate}: {said or 'no words'}")

    def wait_for_tracked(self, seconds: float) -> None:
        """Waits until no tracked process runs, or ends them."""
        deadline = time.monotonic() + seconds
        while self._tracked and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.05)
        for _, process, _ in self._tracked:
            _end(process)
        self.reap()

    def end(self) -> None:
        """Ends every process that this object has started."""
        for _, _, process in self._open:
            _end(process)
        for _, process, _ in self._tracked:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def usage(node: Node, device: str | None = None) -> list[dict[str, object]] | None:
    """Returns all sessions that a node lists, newest first; `None` if it does not answer."""
    sessions: list[dict[str, object]] = []
    values: dict[str, object] = {"limit": 1_000} | ({"device": device} if device else {})
    while True:
        answer = node.ask("GET", query("/v1/usage", **values))
        if answer.fate != ACCEPTED:
            return None
        sessions += answer.body["sessions"]
        if (cursor := answer.body.get("next")) is None:
            return sessions
        values["cursor"] = cursor
