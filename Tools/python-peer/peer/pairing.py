"""The joiner's side of a pairing.

Spec: Protocol/03-pairing.md
"""

import hmac
import os
import sys
from collections.abc import Callable

from . import cpace, schema
from .code import Code, commitment
from .faults import BrokenRule, Lost, Outcome, may_crash
from .frames import PAIRING, PAIRING_TYPED, Connection, dial, now, preamble
from .identity import (
    CHILD,
    GREATEST_VERSION,
    LEAST_VERSION,
    PARENT,
    common_version,
    device_id,
    hkdf,
    id_text,
    safe_name,
    sha256,
    verifies,
)
from .noise import Channel, pairing_channel
from .store import Store

_STEP = 10.0
_PERSON = 15 * 60.0
_NOTICES = {b"\x00\x01": "wrong-code", b"\x00\x02": "busy", b"\x00\x03": "version"}


def handshake_key(secret: bytes) -> bytes:
    """Return the PSK of the pairing's handshake."""
    return hkdf(b"latchkey pairing code v1", secret, b"handshake", 32)


def joiner_commitment(identity_key: bytes, link_key: bytes, random: bytes) -> bytes:
    """Return the joiner's commitment before it sees the inviter's keys and random bytes."""
    return sha256(b"latchkey joiner commitment v1", identity_key, link_key, random)


def proof_text(side: int, handshake_hash: bytes) -> bytes:
    """Return the text that a side signs: 1 the inviter, 2 the joiner."""
    return b"latchkey pairing proof v1" + bytes([side]) + handshake_hash


def pairwise_key(handshake_hash: bytes, secret: bytes, random_inviter: bytes, random_joiner: bytes) -> bytes:
    """Return the PSK of all sessions of the two devices."""
    return hkdf(handshake_hash, secret + random_inviter + random_joiner, b"latchkey pairwise key v1", 32)


def digits(inviter: tuple[bytes, bytes], joiner: tuple[bytes, bytes], randoms: tuple[bytes, bytes]) -> str:
    """Return the six digits of both screens.

    They follow from identity keys, link keys and random bytes, the inviter's first.
    """
    number = int.from_bytes(sha256(b"latchkey digits v1", *inviter, *joiner, *randoms)[:8], "big")
    return f"{number % 1_000_000:06}"


def purpose(code: Code) -> int:
    """Return the purpose of a connection for a code."""
    return PAIRING_TYPED if code.is_typed else PAIRING


def prologue(code: Code, exchanged: bytes) -> bytes:
    """Return the handshake's prologue; with a typed code, `exchanged` are the two frames before it.
    """
    return b"latchkey pairing v1" + preamble(purpose(code), code.discriminator) + bytes([PARENT, CHILD]) + exchanged


class Offer:
    """The joiner's part of CPace; only tests give the scalar and the session ID.

    Spec: Protocol/03-pairing.md section 4
    """

    def __init__(self, code: Code, scalar: bytes | None = None, session: bytes | None = None):
        self._scalar, self._session = scalar or cpace.scalar(), session or os.urandom(16)
        channel = b"latchkey typed code v1" + preamble(PAIRING_TYPED, code.discriminator) + bytes([PARENT, CHILD])
        self._share = cpace.multiply(self._scalar, cpace.generator(code.secret, channel, self._session))
        self._versions = LEAST_VERSION.to_bytes(4, "big") + GREATEST_VERSION.to_bytes(4, "big")
        self.frame = self._session + self._share + self._versions

    def secret(self, answer: bytes) -> bytes:
        """Return the replacement of the code's secret; raise BrokenRule for a share that is no
        valid point.
        """
        shared = cpace.multiply(self._scalar, answer[:32])
        exchange = cpace.transcript((self._share, self._versions), (answer[:32], answer[32:]))
        return cpace.session_key(self._session, shared, exchange)


class Joiner:
    """One attempt to join at one address."""

    def __init__(self, store: Store, code: Code, ask: bool, say: Callable[..., None]):
        self._store, self._code, self._ask, self._say = store, code, ask, say
        self.verified = False  # whether the other side has proved that it is the inviter

    def run(self, address: tuple[str, int]) -> bytes:
        """Pair with the inviter at `address` and return its device ID.

        Raises Outcome, or Lost without a connection.
        """
        if self._code.is_typed and not self._store.may_guess(self._code.discriminator):
            raise Outcome("wrong-code")
        connection = dial(address, preamble(purpose(self._code), self._code.discriminator), timeout=3.0)
        try:
            return self._attempt(connection)
        finally:
            connection.close()

    def _attempt(self, connection: Connection) -> bytes:
        keys, code = self._store.keys, self._code
        random, secret, exchanged, run = os.urandom(32), code.secret, b"", None
        if code.is_typed:
            secret, exchanged = self._exchange(connection)
            run = self._store.count_run(code.discriminator)
        channel = pairing_channel(keys.link_secret, prologue(code, exchanged), handshake_key(secret))
        channel.start()
        opening = schema.PairingOpening(commitment=joiner_commitment(keys.identity_key, keys.link_key, random))
        connection.send(channel.write(opening.SerializeToString()))

        inviter = self._introduction(connection, channel)
        connection.prove()
        self.verified = True
        if run is not None:
            self._store.take_back_run(run)
        link_key = channel.remote_link_key
        introduction = schema.PairingIntroduction(
            identity_key=keys.identity_key,
            name=self._store.name,
            role=CHILD,
            random=random,
            least_version=LEAST_VERSION,
            greatest_version=GREATEST_VERSION,
        )
        connection.send(channel.write(introduction.SerializeToString()))
        hash_ = channel.handshake_hash
        self._send(connection, channel, proof={"signature": keys.sign(proof_text(2, hash_))})

        proof = self._step(connection, channel, "proof", "network", _STEP)
        if not verifies(inviter.identity_key, proof_text(1, hash_), proof.signature):
            raise Outcome("network")
        peer, name = device_id(inviter.identity_key, link_key), safe_name(inviter.name)
        shown = digits(
            (inviter.identity_key, link_key), (keys.identity_key, keys.link_key), (inviter.random, random)
        )
        self._say("digits", name=name, role="parent", digits=shown)
        commit = self._agree(connection, channel)
        if len(commit.discovery_key) != 32:
            raise Outcome("network")

        key = pairwise_key(hash_, secret, inviter.random, random)
        self._store.keep_pending(peer, inviter.identity_key, link_key, name, key, commit.discovery_key)
        may_crash("pending")
        self._send(connection, channel, commit_acknowledged={})
        may_crash("acknowledged")
        try:
            self._step(connection, channel, "done", "network", _STEP)
        except Outcome as outcome:
            if outcome.__cause__ is None and not isinstance(outcome, _Unclear):
                self._store.discard_pending(peer)  # an Abort: the inviter has not made it final
            raise
        if not self._store.promote(peer):
            raise Outcome("network")
        self._say("paired", device=id_text(peer), name=name, role="parent", digits=shown)
        return peer

    def _exchange(self, connection: Connection) -> tuple[bytes, bytes]:
        """Derive a strong secret from a typed code; return it and the two frames of the exchange.
        """
        offered = Offer(self._code)
        connection.send(offered.frame)
        answer = self._first(connection)
        if len(answer) != 40:
            raise Outcome("wrong-code")
        least, greatest = (int.from_bytes(answer[at : at + 4], "big") for at in (32, 36))
        if least > greatest:
            raise Outcome("wrong-code")
        if not common_version(least, greatest):
            raise Outcome("version")
        try:
            return offered.secret(answer), offered.frame + answer
        except BrokenRule as error:
            raise Outcome("wrong-code") from error

    def _first(self, connection: Connection) -> bytes:
        """Return a frame of the unauthenticated inviter; raise a notice's outcome."""
        try:
            body = connection.receive(now() + _STEP)
        except Lost as lost:
            raise Outcome("expired") from lost
        except BrokenRule as error:
            raise Outcome("wrong-code") from error
        if body in _NOTICES:
            raise Outcome(_NOTICES[body])
        return body

    def _introduction(self, connection: Connection, channel: Channel):
        """Read message 2 and return the inviter's introduction; nothing more is sent if it does not
        fit.
        """
        body = self._first(connection)
        try:
            introduction = schema.parse(schema.PairingIntroduction, channel.read(body))
        except BrokenRule as error:
            raise Outcome("wrong-code") from error
        if len(introduction.identity_key) != 32 or len(introduction.random) != 32:
            raise Outcome("wrong-code")
        told = commitment(introduction.identity_key, channel.remote_link_key)
        if not self._code.is_typed and not hmac.compare_digest(told, self._code.commitment):
            raise Outcome("wrong-code")
        if not common_version(introduction.least_version, introduction.greatest_version):
            raise Outcome("version")
        if introduction.role != PARENT:
            raise Outcome("refused")
        return introduction

    def _send(self, connection: Connection, channel: Channel, **step) -> None:
        connection.send(channel.seal(schema.PairingStep(**step).SerializeToString()))

    def _step(self, connection: Connection, channel: Channel, wanted: str, otherwise: str, seconds: float):
        """Return the next step's content.

        Raises the abort's outcome, `otherwise` for another step, and network if the connection is
        lost.
        """
        try:
            body = connection.receive(now() + seconds)
        except Lost as lost:
            raise _Unclear("network") from lost
        except BrokenRule as error:
            raise _Unclear(otherwise) from error
        if wanted == "proof" and body in _NOTICES:  # The inviter did not accept the third message, and has no key to report it with.
            raise Outcome(_NOTICES[body])
        return self._opened(channel, body, wanted, otherwise)

    def _opened(self, channel: Channel, body: bytes, wanted: str, otherwise: str):
        try:
            step = schema.parse(schema.PairingStep, channel.open(body))
        except BrokenRule as error:
            raise _Unclear(otherwise) from error
        kind = step.WhichOneof("step")
        if kind == "abort":
            raise Outcome(step.abort.outcome if step.abort.outcome != "ok" else "refused")
        if kind != wanted:
            raise _Unclear(otherwise)
        return getattr(step, kind)

    def _agree(self, connection: Connection, channel: Channel):
        """Wait for Commit and, where this person is asked, for a yes; return the Commit."""
        commit, asked, deadline = None, self._ask, now() + _PERSON
        if asked:
            print("Do both screens show these digits? [y/N] ", end="", file=sys.stderr, flush=True)
        try:
            while commit is None or asked:
                try:
                    body = connection.receive(deadline, also=sys.stdin if asked else None)
                except Lost as lost:
                    raise _Unclear("network") from lost
                except BrokenRule as error:
                    raise _Unclear("network") from error
                if body is not None:
                    if commit is not None:
                        raise _Unclear("network")
                    commit = self._opened(channel, body, "commit", "network")
                elif sys.stdin.readline().strip().lower() in ("y", "yes"):
                    asked = False
                else:
                    self._send(connection, channel, abort={"outcome": "refused"})
                    raise Outcome("cancelled")
        except KeyboardInterrupt:
            self._send(connection, channel, abort={"outcome": "cancelled"})
            raise Outcome("cancelled") from None
        return commit


class _Unclear(Outcome):
    """An end that does not show whether the inviter made the pairing final."""
