"""Keys, device IDs, names and common hashes.

Spec: Protocol/01-overview.md section 3, Protocol/00-index.md section 3
"""

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass

from nacl.bindings import crypto_scalarmult_base
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PARENT, CHILD = 1, 2
LEAST_VERSION, GREATEST_VERSION = 1, 1


def sha256(*parts: bytes) -> bytes:
    """Hash the parts as one message."""
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    """Derive `length` bytes by HKDF-SHA-256 of RFC 5869."""
    key = hmac.digest(salt or bytes(32), material, "sha256")
    out, block = b"", b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(key, block + info + bytes([counter]), "sha256")
        out += block
    return out[:length]


def device_id(identity_key: bytes, link_key: bytes) -> bytes:
    """Return the 20 bytes that name the device with these public keys."""
    return sha256(b"latchkey device id v1", identity_key, link_key)[:20]


def check_value(values: list[int]) -> int:
    """Return the check value, Luhn mod 32, over values of five bits."""
    products = [value * (2 - i % 2) for i, value in enumerate(reversed(values))]
    return -sum(product // 32 + product % 32 for product in products) % 32


def id_text(device: bytes) -> str:
    """Write a device ID for people, with its check symbol."""
    number = int.from_bytes(device, "big")
    values = [number >> 5 * (31 - i) & 31 for i in range(32)]
    text = "".join(CROCKFORD[value] for value in [*values, check_value(values)])
    return "-".join(text[i : i + 4] for i in range(0, 33, 4))


_UNSAFE = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


def safe_name(name: str) -> str:
    """Make a name from another machine safe to display."""
    kept = ""
    for character in name:
        character = "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in _UNSAFE else character
        if len((kept + character).encode()) > 64:
            break
        kept += character
    return kept.strip(" ") or "unnamed"


@dataclass(frozen=True)
class Keys:
    """The two key pairs of this device."""

    seed: bytes
    link_secret: bytes

    @property
    def identity_key(self) -> bytes:
        return bytes(SigningKey(self.seed).verify_key)

    @property
    def link_key(self) -> bytes:
        return crypto_scalarmult_base(self.link_secret)

    @property
    def device(self) -> bytes:
        return device_id(self.identity_key, self.link_key)

    def sign(self, message: bytes) -> bytes:
        return SigningKey(self.seed).sign(message).signature


def verifies(identity_key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether `signature` is the Ed25519 signature of `message` by `identity_key`."""
    try:
        VerifyKey(identity_key).verify(message, signature)
        return True
    except (BadSignatureError, ValueError, TypeError):
        return False


def common_version(least: int, greatest: int) -> bool:
    """Tell whether a peer's range of protocol versions has one in common with ours."""
    return max(least, LEAST_VERSION) <= min(greatest, GREATEST_VERSION)
