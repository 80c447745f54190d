"""CPace over ristretto255 with SHA-512.

The group is from the system's libsodium, since PyNaCl has no ristretto255.
"""

import ctypes
import ctypes.util
import hashlib

from .faults import BrokenRule

_DSI = b"CPaceRistretto255"
_path = ctypes.util.find_library("sodium")
_sodium = ctypes.CDLL(_path) if _path else None


def _group(name: str, *arguments: bytes) -> bytes:
    """Call a function of libsodium that writes 32 bytes; raise BrokenRule if it fails."""
    if _sodium is None:
        raise SystemExit("The typed code needs libsodium: run 'apt install libsodium23', then start this again.")
    out = ctypes.create_string_buffer(32)
    if getattr(_sodium, name)(out, *arguments):
        raise BrokenRule("a share that is no valid point")
    return out.raw


def sized(*parts: bytes) -> bytes:
    """Join parts, each after its length in LEB128."""
    out = b""
    for part in parts:
        length = len(part)
        while length >= 128:
            out += bytes([length & 127 | 128])
            length >>= 7
        out += bytes([length]) + part
    return out


def generator(password: bytes, channel: bytes, session: bytes) -> bytes:
    """Return the point that both sides derive from the password."""
    zeros = bytes(max(0, 128 - 1 - len(sized(password)) - len(sized(_DSI))))
    text = sized(_DSI, password, zeros, channel, session)
    return _group("crypto_core_ristretto255_from_hash", hashlib.sha512(text).digest())


def scalar() -> bytes:
    """Choose a secret scalar."""
    out = ctypes.create_string_buffer(32)
    _sodium.crypto_core_ristretto255_scalar_random(out)
    return out.raw


def multiply(secret: bytes, point: bytes) -> bytes:
    """Multiply a point; raise BrokenRule for an invalid encoding, and for the neutral element as
    the result.
    """
    return _group("crypto_scalarmult_ristretto255", secret, point)


def transcript(initiator: tuple[bytes, bytes], responder: tuple[bytes, bytes]) -> bytes:
    """Join both sides' shares and associated data, the initiator's first."""
    return sized(*initiator) + sized(*responder)


def session_key(session: bytes, shared: bytes, exchange: bytes) -> bytes:
    """Return the 64 bytes that both sides hold when their passwords are equal."""
    return hashlib.sha512(sized(_DSI + b"_ISK", session, shared) + exchange).digest()
