"""A running machine of either role.

It holds its sessions, and a parent accepts machines that join or call.

Spec: Protocol/04-session.md
"""

import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from .child import Child
from .faults import BrokenRule, Lost, Outcome
from .frames import PAIRING, SESSION, Connection, now
from .identity import CHILD, PARENT
from .inviter import Invitation
from .parent import Parent
from .session import Session, answer, call
from .store import Peer, Store

_FOREVER, _LOOK = 1e12, 5.0
Address = tuple[str, int]


class Node:
    """A machine with its store, from start to `stop`."""

    def __init__(self, folder: Path, role: int, name: str, say: Callable[..., None]):
        self.store, self._say = Store(folder, name, role), say
        self.machine = Parent(self.store) if role == PARENT else Child(self.store)
        self._sessions: dict[bytes, Session] = {}
        self._stopped, self._threads = threading.Event(), []
        self._listener: socket.socket | None = None
        self._invitation: Invitation | None = None
        self.store.changed = self._wake
        if role == CHILD:
            self._thread(self._looks)

    @property
    def id(self) -> bytes:
        return self.store.keys.device

    def _wake(self) -> None:
        for session in list(self._sessions.values()):
            session.wake()

    def _thread(self, work, *arguments) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _hold(self, session: Session, peer: Peer, answers: bool) -> None:
        """Hold a session until it ends; a newer one of the same caller replaces it."""

        def up() -> None:
            self._sessions[peer.id] = session
            self.machine.met(peer.id, True)

        try:
            session.run(_FOREVER, self._stopped.is_set, answers, up)
        except (Lost, BrokenRule, OSError) as error:
            self._say("ended", peer=peer.name, why=str(error))
        finally:
            if self._sessions.get(peer.id) is session:
                del self._sessions[peer.id]
                if not self._stopped.is_set():
                    self.machine.met(peer.id, False)

    # A child's machine looks who is there, and calls

    def _looks(self) -> None:
        while not self._stopped.wait(_LOOK):
            self.machine.look()

    def call(self, parent: bytes, address: Address) -> None:
        """Hold a session with a parent, and call again whenever it has ended."""
        self._thread(self._calls, parent, address)

    def _calls(self, parent: bytes, address: Address) -> None:
        failed = 0
        while not self._stopped.is_set():
            began = now()
            peers = [peer for peer in self.store.peers() if peer.id == parent]
            for peer, key in [(peer, key) for peer in peers for key in peer.keys]:
                try:
                    session = call(self.store, peer, key, address, self.machine, self._say)
                except (Lost, BrokenRule):
                    continue
                if key == peer.pending_key:
                    self.store.promote(peer.id)
                self._hold(session, peer, answers=False)
                break
            failed = 0 if now() - began >= 5 else failed + 1
            self._stopped.wait(min(1.5**failed, 3) * (0.5 + 0.5 * random.random()))

    # A parent's machine listens

    def listen(self, port: int = 0) -> int:
        """Accept calls on loopback; return the port."""
        self._listener = socket.create_server(("127.0.0.1", port))
        self._thread(self._accepts)
        return self._listener.getsockname()[1]

    def invite(self) -> str:
        """Open a code that accepts without asking; return its text."""
        self._invitation = Invitation(self.store, self._say)
        return self._invitation.text

    def _accepts(self) -> None:
        while not self._stopped.is_set():
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            self._thread(self._serves, Connection(connected))

    def _serves(self, connection: Connection) -> None:
        try:
            beginning = connection.beginning()
            if beginning == b"LK\x01" + bytes([SESSION, 0, 0]):
                self._hold(*answer(self.store, connection, self.machine, self._say), answers=True)
                return
            invitation = self._invitation
            discriminator = int.from_bytes(beginning[4:], "big")
            if (beginning[:4] == b"LK\x01" + bytes([PAIRING]) and invitation and invitation.is_open
                    and discriminator == invitation.code.discriminator):  # fmt: skip
                invitation.attempt(connection)
        except (Lost, BrokenRule, Outcome, OSError) as error:
            self._say("gone", why=str(error))
        connection.close()

    def stop(self) -> None:
        """Say goodbye to all peers, and end."""
        self._stopped.set()
        if self._listener:
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        self._wake()
        for thread in self._threads:
            thread.join(15)
        self.store.close()
