"""A session, as the caller or the callee.

Spec: Protocol/04-session.md
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress

from . import schema
from .delivery import WINDOW_BYTES, WINDOW_ITEMS, Delivery
from .faults import BrokenRule, Lost, Silent
from .frames import SESSION, Connection, dial, now, preamble
from .identity import GREATEST_VERSION, LEAST_VERSION, common_version, id_text, safe_name
from .noise import Channel, answering_channel, session_channel
from .store import Peer, Store, key_id

_RUN_ID = os.urandom(16)
_PING, _DEAD = 20.0, 60.0
SHUTTING_DOWN, PROTOCOL_ERROR, REMOVED = 1, 4, 5
_GOODBYES = {1: "shutting down", 2: "duplicate", 3: "renew", 4: "protocol error", 5: "removed", 6: "version"}
_VERSION = 6


class Session:
    """One connection to a peer after the handshake, up to the goodbye."""

    def __init__(self, store: Store, peer: Peer, machine, channel: Channel, connection: Connection, say):
        self._store, self._peer, self._say = store, peer, say
        self._channel, self._connection = channel, connection
        self.delivery = Delivery(store, peer, machine, say)
        self._received_at = self._pinged_at = now()
        self._pings = 0
        self._waking, self._is_open = threading.Lock(), True
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)

    def wake(self) -> None:
        """Make the session look for something to send; from any thread."""
        with self._waking:
            if self._is_open:
                with suppress(BlockingIOError):
                    os.write(self._waker, b"x")

    def run(self, deadline: float, done: Callable[[], bool], answers: bool = False, up=lambda: None) -> bool:
        """Exchange what is pending until `done`, then say goodbye; tell whether the deadline was
        met.
        """
        delivery = self.delivery
        try:
            self._answer() if answers else self._greet()
            up()
            self._say("session", peer=id_text(self._peer.id), name=self._peer.name)
            while True:
                while batch := self._next_batch():
                    self._send(batch)
                if delivery.removed:
                    self._send(schema.Batch(goodbye=REMOVED))
                    return True
                with self._store.lock:
                    is_done = done()
                if is_done or now() >= deadline:
                    self._send(schema.Batch(goodbye=SHUTTING_DOWN))
                    self._say("goodbye", reason=_GOODBYES[SHUTTING_DOWN])
                    return is_done
                batch = self._next(deadline, wakes=True)
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
            with self._waking:
                self._is_open = False
            os.close(self._woken)
            os.close(self._waker)

    def _next_batch(self):
        with self._store.lock:
            return self.delivery.next_batch()

    def _hello(self):
        hello = schema.Hello(
            least_version=LEAST_VERSION,
            greatest_version=GREATEST_VERSION,
            software="python-peer 1",
            run_id=_RUN_ID,
            name=self._store.name,
            role=self._store.role,
            window_items=WINDOW_ITEMS,
            window_bytes=WINDOW_BYTES,
            # The first key answers a call of the other side.
            key_id=key_id(self._peer.keys[0]),
        )
        with self._store.lock:
            self.delivery.state_positions(hello)
        return hello

    def _greet(self) -> None:
        self._send(schema.Batch(hello=self._hello()))
        batch = self._next(now() + _DEAD)
        if batch is None:
            raise Silent("the other machine did not greet")
        if batch.HasField("hello"):
            self._meet(batch.hello)
        elif not batch.goodbye:
            raise BrokenRule("a first batch without a Hello")
        self._take(batch, first=True)

    def _answer(self) -> None:
        """Read the caller's Hello, which proves it, and greet."""
        batch = self._next(now() + 10)
        if batch is None:
            raise Silent("the other machine did not greet")
        self._connection.prove()
        if batch.goodbye:
            raise Lost("the other machine ended the session before it began")
        if not batch.HasField("hello") or batch.runs or batch.stored or batch.HasField("ping"):
            raise BrokenRule("a first batch with anything but a Hello")
        with self._store.lock:
            completed = self._store.promote(self._peer.id)
        if completed:
            self._say("completed", name=self._peer.name)
        self._send(schema.Batch(hello=self._hello()))  # before anything of the peer's is accepted
        self._meet(batch.hello)

    def _meet(self, theirs) -> None:
        sizes = len(theirs.run_id), len(theirs.key_id)
        if sizes != (16, 8) or theirs.role not in (1, 2) or theirs.least_version > theirs.greatest_version:
            raise BrokenRule("a malformed Hello")
        if theirs.refusal:
            raise Lost("the other machine will not hold this session")
        if not common_version(theirs.least_version, theirs.greatest_version):
            self._send(schema.Batch(goodbye=_VERSION))
            raise Lost("the two machines have no protocol version in common")
        with self._store.lock:
            self._store.answers_with(self._peer.id, theirs.key_id)
            self.delivery.greet(theirs)
        self._say("hello", software=safe_name(theirs.software), name=safe_name(theirs.name))

    def _take(self, batch, first: bool = False) -> None:
        if batch.HasField("hello") and not first:
            raise BrokenRule("a second Hello")
        if batch.goodbye:
            raise Lost(f"the other machine ended the session: {_GOODBYES.get(batch.goodbye, 'protocol error')}")
        if batch.HasField("ping"):
            self._send(schema.Batch(pong=batch.ping))
        with self._store.lock:
            for position in batch.stored:
                self.delivery.stored(position)
            self.delivery.take(batch.runs)

    def _send(self, batch) -> None:
        batch.rekey = batch.rekey or self._channel.wants_key
        self._connection.send(self._channel.seal(batch.SerializeToString(), rekey=batch.rekey))

    def _next(self, deadline: float, wakes: bool = False):
        """Return the next batch; None at the deadline or when woken.

        Pings, and gives up, as the keep-alive requires.
        """
        also = self._woken if wakes else None
        while True:
            ping_at = max(self._received_at, self._pinged_at) + _PING
            try:
                body = self._connection.receive(min(deadline, ping_at, self._received_at + _DEAD), also)
            except Silent:
                if now() >= self._received_at + _DEAD:
                    raise
                if now() >= deadline:
                    return None
                if now() >= ping_at:
                    self._pings, self._pinged_at = self._pings + 1, now()
                    self._send(schema.Batch(ping=self._pings))
                continue
            if body is None:
                os.read(self._woken, 4_096)
                return None
            batch = schema.parse(schema.Batch, self._channel.open(body))
            self._received_at = now()
            if batch.rekey:
                self._channel.rekey_inbound()
            return batch


def call(store: Store, peer: Peer, key: bytes, address: tuple[str, int], machine, say) -> Session:
    """Dial and shake hands; raise Lost or BrokenRule if the peer is not there with this key."""
    connection = dial(address, preamble(SESSION))
    try:
        channel = session_channel(store.keys.link_secret, peer.link_key, key)
        channel.start()
        connection.send(channel.write())
        if channel.read(connection.receive(now() + 10)):
            raise BrokenRule("a payload in the handshake")
    except BaseException:
        connection.close()
        raise
    connection.prove()
    return Session(store, peer, machine, channel, connection, say)


def answer(store: Store, connection: Connection, machine, say) -> tuple[Session, Peer]:
    """Shake hands with a caller whose preamble was read; raise Lost or BrokenRule for a stranger.
    """
    channel = answering_channel(store.keys.link_secret)
    channel.start()
    if channel.read(connection.receive(now() + 10)):
        raise BrokenRule("a payload in the handshake")
    for peer in store.peers():
        if peer.link_key == channel.remote_link_key:
            channel.use(peer.keys[0])
            connection.send(channel.write())
            return Session(store, peer, machine, channel, connection, say), peer
    raise Lost("a caller that is not known")
