"""The code that a person copies as text.

Spec: Protocol/03-pairing.md section 2
"""

import ipaddress
import re
from dataclasses import dataclass

from . import bech32m
from .faults import Outcome
from .identity import CROCKFORD, check_value, sha256


@dataclass(frozen=True)
class Code:
    """The content of a code.

    A pasted code has a secret of 16 bytes and a commitment, a typed one six symbols.
    """

    discriminator: int
    secret: bytes
    commitment: bytes | None = None
    address: tuple[str, int] | None = None

    @property
    def is_typed(self) -> bool:
        return self.commitment is None


def read(text: str) -> Code:
    """Read a code of either form as a person entered it; raise Outcome with the failure's word."""
    text = re.sub(r"[\s\-\u2010\u2011\u2013]", "", text).lower()
    if not text:
        raise Outcome("empty")
    if typed := _typed(text):
        return typed
    if not text.startswith("lk1"):
        raise Outcome("foreign" if len(text) > 12 else "typo" if len(text) == 9 else "length")
    if len(text) < 69:
        raise Outcome("truncated")
    try:
        prefix, data = bech32m.decode(text)
    except ValueError as error:
        raise Outcome("typo") from error
    if prefix != "lk":  # it ends at the last 1
        raise Outcome("foreign")
    if data[0] != 1 or data[1] != 0:
        raise Outcome("newer")
    discriminator, minutes, port = (int.from_bytes(data[at:end], "big") for at, end in ((2, 4), (4, 5), (37, 39)))
    if len(data) not in (37, 43) or discriminator > 1023 or not 1 <= minutes <= 15:
        raise Outcome("typo")
    address = (str(ipaddress.IPv4Address(data[39:])), port) if len(data) == 43 else None
    if address and not port:
        raise Outcome("typo")
    return Code(discriminator, data[5:21], data[21:37], address)


def _typed(text: str) -> Code | None:
    """Read a typed code; return None for another text."""
    symbols = text.upper().translate(str.maketrans("OIL", "011"))
    if len(symbols) != 9 or any(symbol not in CROCKFORD for symbol in symbols):
        return None
    values = [CROCKFORD.index(symbol) for symbol in symbols]
    if check_value(values[:8]) != values[8]:
        return None
    return Code(values[0] << 5 | values[1], symbols[2:8].encode())


def commitment(identity_key: bytes, link_key: bytes) -> bytes:
    """Return the 16 bytes of a code that commit it to the inviter's keys."""
    return sha256(b"latchkey code commitment v1", identity_key, link_key)[:16]


def write(discriminator: int, minutes: int, secret: bytes, bound: bytes) -> str:
    """Write a pasted code without an address, in groups."""
    data = b"\x01\x00" + discriminator.to_bytes(2, "big") + bytes([minutes]) + secret + bound
    text = bech32m.encode("lk", data).upper()
    return "-".join(text[i : i + 5] for i in range(0, len(text), 5))
