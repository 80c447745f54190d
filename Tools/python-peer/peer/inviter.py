"""The inviter's side of a pairing, with the pasted code.

Spec: Protocol/03-pairing.md
"""

import hmac
import os
import secrets
from collections.abc import Callable

from . import schema
from .code import Code, commitment, write
from .faults import BrokenRule, Lost, Outcome
from .frames import Connection, now
from .identity import CHILD, GREATEST_VERSION, LEAST_VERSION, PARENT, common_version, device_id, safe_name, verifies
from .noise import Channel, inviting_channel
from .pairing import handshake_key, joiner_commitment, pairwise_key, proof_text, prologue
from .store import Store

_STEP, _MINUTES = 10.0, 5
_WRONG_CODE = b"\x00\x01"


class Invitation:
    """An open code, which accepts every joiner without asking, and pairs one device."""

    def __init__(self, store: Store, say: Callable[..., None]):
        self._store, self._say, self._failures = store, say, 0
        keys = store.keys
        bound = commitment(keys.identity_key, keys.link_key)
        self.code = Code(secrets.randbelow(1_024), os.urandom(16), bound)
        self.text = write(self.code.discriminator, _MINUTES, self.code.secret, bound)
        self._until = now() + 60 * _MINUTES

    @property
    def is_open(self) -> bool:
        return now() < self._until and self._failures < 5

    def attempt(self, connection: Connection) -> bytes | None:
        """Run one attempt and return the paired device.

        Raises Outcome, Lost or BrokenRule.
        """
        keys, code, store = self._store.keys, self.code, self._store
        channel = inviting_channel(keys.link_secret, prologue(code, b""), handshake_key(code.secret))
        channel.start()
        try:
            opening = schema.parse(schema.PairingOpening, channel.read(connection.receive(now() + _STEP)))
            random = os.urandom(32)
            mine = schema.PairingIntroduction(
                identity_key=keys.identity_key, name=store.name, role=PARENT, random=random,
                least_version=LEAST_VERSION, greatest_version=GREATEST_VERSION,
            )  # fmt: skip
            connection.send(channel.write(mine.SerializeToString()))
            theirs = schema.parse(schema.PairingIntroduction, channel.read(connection.receive(now() + _STEP)))
            link_key = channel.remote_link_key
            bound = joiner_commitment(theirs.identity_key, link_key, theirs.random)
            if not hmac.compare_digest(bound, opening.commitment):
                raise BrokenRule("a joiner that is not the one of the first message")
        except BrokenRule:
            self._failures += 1
            connection.send(_WRONG_CODE)
            raise Outcome("wrong-code") from None
        connection.prove()
        if not common_version(theirs.least_version, theirs.greatest_version) or theirs.role != CHILD:
            fault = "refused" if theirs.role != CHILD else "version"
            _send(connection, channel, abort={"outcome": fault})
            raise Outcome("network" if fault == "refused" else fault)
        hash_ = channel.handshake_hash
        proof = _step(connection, channel, "proof")
        if not verifies(theirs.identity_key, proof_text(2, hash_), proof.signature):
            raise Outcome("network")
        _send(connection, channel, proof={"signature": keys.sign(proof_text(1, hash_))})
        peer, name = device_id(theirs.identity_key, link_key), safe_name(theirs.name)
        key = pairwise_key(hash_, code.secret, random, theirs.random)
        store.keep_pending(peer, theirs.identity_key, link_key, name, key, store.discovery_key)
        _send(connection, channel, commit={"discovery_key": store.discovery_key})
        _step(connection, channel, "commit_acknowledged", 60.0)
        if not store.promote(peer):
            raise Outcome("network")
        self._until = 0.0  # a code pairs one device
        _send(connection, channel, done={})
        self._say("paired", name=name)
        return peer


def _send(connection: Connection, channel: Channel, **step) -> None:
    connection.send(channel.seal(schema.PairingStep(**step).SerializeToString()))


def _step(connection: Connection, channel: Channel, wanted: str, seconds: float = _STEP):
    """Return the next step's content; an Abort's outcome, or network for anything else."""
    try:
        step = schema.parse(schema.PairingStep, channel.open(connection.receive(now() + seconds)))
    except (BrokenRule, Lost):
        raise Outcome("network") from None
    kind = step.WhichOneof("step")
    if kind == "abort":
        raise Outcome(step.abort.outcome)
    if kind != wanted:
        raise Outcome("network")
    return getattr(step, kind)
