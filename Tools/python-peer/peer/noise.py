"""The two Noise handshakes and the sealed frames after them.

Spec: Protocol/03-pairing.md section 3, Protocol/04-session.md sections 2 and 7
"""

from cryptography.exceptions import InvalidTag
from noise.connection import Keypair, NoiseConnection
from noise.exceptions import NoiseHandshakeError, NoiseInvalidMessage, NoiseValueError

from .faults import BrokenRule
from .frames import SESSION, now, preamble

_SUITE = "25519_ChaChaPoly_SHA256"
_FAULTS = (InvalidTag, NoiseHandshakeError, NoiseInvalidMessage, NoiseValueError, ValueError)
REKEY_FRAMES, REKEY_SECONDS = 65_536, 3_600


class Channel:
    """One Noise connection; this side is the initiator unless `answers`."""

    def __init__(
        self, pattern: str, prologue: bytes, psks: list[bytes], link_secret: bytes, remote: bytes | None, answers=False
    ):
        self._noise = NoiseConnection.from_name(f"Noise_{pattern}_{_SUITE}".encode())
        self._noise.set_psks(psks=psks)
        self._noise.set_prologue(prologue)
        self._noise.set_as_responder() if answers else self._noise.set_as_initiator()
        self._noise.set_keypair_from_private_bytes(Keypair.STATIC, link_secret)
        if remote is not None:
            self._noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, remote)
        self._sealed, self._keyed_at = 0, now()

    def start(self, ephemeral: bytes | None = None) -> None:
        """Begin the handshake; only tests give an ephemeral secret."""
        if ephemeral is not None:
            self._noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral)
        self._noise.start_handshake()
        self._handshake = self._noise.noise_protocol.handshake_state

    def write(self, payload: bytes = b"") -> bytes:
        """Make the next handshake message."""
        return bytes(self._noise.write_message(payload))

    def read(self, message: bytes) -> bytes:
        """Read the next handshake message; raise BrokenRule if it does not verify."""
        try:
            return bytes(self._noise.read_message(message))
        except _FAULTS as error:
            raise BrokenRule("a handshake message that does not verify") from error

    def use(self, psk: bytes) -> None:
        """Continue with the key that the other side's first message has identified."""
        self._noise.noise_protocol.psks = [psk]

    @property
    def remote_link_key(self) -> bytes:
        """The other side's static key, once a message has contained it."""
        return self._handshake.rs.public_bytes

    @property
    def handshake_hash(self) -> bytes:
        return self._noise.get_handshake_hash()

    @property
    def wants_key(self) -> bool:
        """Whether the next frame must announce that this direction takes a new key after it."""
        return self._sealed + 1 >= REKEY_FRAMES or now() - self._keyed_at >= REKEY_SECONDS

    def seal(self, plaintext: bytes, rekey: bool = False) -> bytes:
        """Seal one frame's plaintext; with `rekey`, use the next key for later frames."""
        sealed = self._noise.encrypt(plaintext)
        self._sealed += 1
        if rekey:
            self._noise.rekey_outbound_cipher()
            self._sealed, self._keyed_at = 0, now()
        return sealed

    def open(self, body: bytes) -> bytes:
        """Open one frame; raise BrokenRule when it does not verify."""
        try:
            return self._noise.decrypt(body)
        except _FAULTS as error:
            raise BrokenRule("a frame that does not open") from error

    def rekey_inbound(self) -> None:
        """Use the next key for frames that arrive from now on."""
        self._noise.rekey_inbound_cipher()


def pairing_channel(link_secret: bytes, prologue: bytes, handshake_key: bytes) -> Channel:
    """Return a joiner's side of a pairing's handshake."""
    return Channel("XXpsk0+psk3", prologue, [handshake_key, handshake_key], link_secret, None)


def session_channel(link_secret: bytes, remote: bytes, pairwise_key: bytes) -> Channel:
    """Return a caller's side of a session's handshake."""
    return Channel("IKpsk2", b"latchkey session v1" + preamble(SESSION), [pairwise_key], link_secret, remote)


def inviting_channel(link_secret: bytes, prologue: bytes, handshake_key: bytes) -> Channel:
    """Return an inviter's side of a pairing's handshake."""
    return Channel("XXpsk0+psk3", prologue, [handshake_key, handshake_key], link_secret, None, answers=True)


def answering_channel(link_secret: bytes) -> Channel:
    """Return a callee's side of a session's handshake; the key is given once the first message was
    read.
    """
    prologue = b"latchkey session v1" + preamble(SESSION)
    return Channel("IKpsk2", prologue, [bytes(32)], link_secret, None, answers=True)
