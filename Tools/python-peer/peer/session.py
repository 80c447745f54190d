"""A session, as the caller.

Spec: Protocol/04-session.md
"""

import os
from collections.abc import Callable

from . import schema
from .delivery import WINDOW_BYTES, WINDOW_ITEMS, Delivery
from .faults import BrokenRule, Lost, Silent
from .frames import SESSION, Connection, now, preamble
from .identity import CHILD, GREATEST_VERSION, LEAST_VERSION, common_version, id_text, safe_name
from .noise import session_channel
from .store import Peer, Store, key_id

_RUN_ID = os.urandom(16)
_PING, _DEAD = 20.0, 60.0
SHUTTING_DOWN, PROTOCOL_ERROR, REMOVED = 1, 4, 5
_GOODBYES = {1: "shutting down", 2: "duplicate", 3: "renew", 4: "protocol error", 5: "removed", 6: "version"}
_VERSION = 6


class Session:
    """One connection to a peer, from the dial to the goodbye."""

    def __init__(self, store: Store, peer: Peer, key: bytes, address: tuple[str, int], say: Callable[..., None]):
        """Dial and shake hands; raise Lost or BrokenRule when the peer, with this key, is not there."""
        self._store, self._peer, self._say = store, peer, say
        self.delivery = Delivery(store, peer, say)
        self._connection = Connection(address, preamble(SESSION))
        try:
            self._channel = session_channel(store.keys.link_secret, peer.link_key, key)
            self._channel.start()
            self._connection.send(self._channel.write())
            body = self._connection.receive(now() + 10)
            if self._channel.read(body):
                raise BrokenRule("a payload in the handshake")
        except BaseException:
            self._connection.close()
            raise
        self._connection.prove()
        self._received_at = self._pinged_at = now()
        self._pings = 0

    def run(self, deadline: float, done: Callable[[], bool]) -> bool:
        """Exchange what waits until `done`, then say goodbye; tell whether it was reached before the deadline."""
        delivery = self.delivery
        try:
            self._greet()
            self._say("session", peer=id_text(self._peer.id), name=self._peer.name)
            while True:
                batch = delivery.next_batch()
                while batch:
                    self._send(batch)
                    batch = delivery.next_batch()
                if delivery.removed:
                    self._send(schema.Batch(goodbye=REMOVED))
                    return True
                if done() or now() >= deadline:
                    self._send(schema.Batch(goodbye=SHUTTING_DOWN))
                    self._say("goodbye", reason=_GOODBYES[SHUTTING_DOWN])
                    return done()
                batch = self._next(deadline)
                if batch is not None:
                    self._take(batch)
        except BrokenRule:
            try:
                self._send(schema.Batch(goodbye=PROTOCOL_ERROR))
            except Lost:
                pass
            raise
        finally:
            self._connection.close()

    def _greet(self) -> None:
        hello = schema.Hello(
            least_version=LEAST_VERSION,
            greatest_version=GREATEST_VERSION,
            software="python-peer 1",
            run_id=_RUN_ID,
            name=self._store.name,
            role=CHILD,
            window_items=WINDOW_ITEMS,
            window_bytes=WINDOW_BYTES,
            # The first is the one with which a call of the other side is answered.
            key_id=key_id(self._peer.keys[0]),
        )
        self.delivery.state_positions(hello)
        self._send(schema.Batch(hello=hello))
        batch = self._next(now() + _DEAD)
        if batch is None:
            raise Silent("the other machine did not greet")
        if batch.HasField("hello"):
            theirs = batch.hello
            sizes = len(theirs.run_id), len(theirs.key_id)
            if sizes != (16, 8) or theirs.role not in (1, 2) or theirs.least_version > theirs.greatest_version:
                raise BrokenRule("a malformed Hello")
            if theirs.refusal:
                raise Lost("the other machine will not hold this session")
            if not common_version(theirs.least_version, theirs.greatest_version):
                self._send(schema.Batch(goodbye=_VERSION))
                raise Lost("the two machines have no protocol version in common")
            self._store.answers_with(self._peer.id, theirs.key_id)
            self.delivery.greet(theirs)
            self._say("hello", software=safe_name(theirs.software), name=safe_name(theirs.name))
        elif not batch.goodbye:
            raise BrokenRule("a first batch without a Hello")
        self._take(batch, first=True)

    def _take(self, batch, first: bool = False) -> None:
        if batch.HasField("hello") and not first:
            raise BrokenRule("a second Hello")
        if batch.goodbye:
            raise Lost(f"the other machine ended the session: {_GOODBYES.get(batch.goodbye, 'protocol error')}")
        if batch.HasField("ping"):
            self._send(schema.Batch(pong=batch.ping))
        for position in batch.stored:
            self.delivery.stored(position)
        self.delivery.take(batch.runs)

    def _send(self, batch) -> None:
        batch.rekey = batch.rekey or self._channel.wants_key
        self._connection.send(self._channel.seal(batch.SerializeToString(), rekey=batch.rekey))

    def _next(self, deadline: float):
        """Return the next batch, or None at the deadline; ping and give up as the keep-alive says."""
        while True:
            ping_at = max(self._received_at, self._pinged_at) + _PING
            try:
                body = self._connection.receive(min(deadline, ping_at, self._received_at + _DEAD))
            except Silent:
                if now() >= self._received_at + _DEAD:
                    raise
                if now() >= deadline:
                    return None
                if now() >= ping_at:
                    self._pings, self._pinged_at = self._pings + 1, now()
                    self._send(schema.Batch(ping=self._pings))
                continue
            batch = schema.parse(schema.Batch, self._channel.open(body))
            self._received_at = now()
            if batch.rekey:
                self._channel.rekey_inbound()
            return batch
