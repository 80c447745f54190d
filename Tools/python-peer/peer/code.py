"""The code that a person carries over as text.

Spec: Protocol/03-pairing.md section 2
"""

import ipaddress
import re
from dataclasses import dataclass

from . import bech32m
from .faults import Outcome
from .identity import sha256


@dataclass(frozen=True)
class Code:
    """What a pasted code says."""

    discriminator: int
    minutes: int
    secret: bytes
    commitment: bytes
    address: tuple[str, int] | None


def read(text: str) -> Code:
    """Read a pasted code as a person gave it; raise Outcome with the failure's word, nothing having been sent."""
    text = re.sub(r"[\s\-\u2010\u2011\u2013]", "", text).lower()
    if not text:
        raise Outcome("empty")
    if not text.startswith("lk1"):
        raise Outcome("foreign")
    if len(text) < 69:
        raise Outcome("truncated")
    try:
        prefix, data = bech32m.decode(text)
    except ValueError as error:
        raise Outcome("typo") from error
    if prefix != "lk" or len(data) < 2:
        raise Outcome("typo")
    if data[0] != 1 or data[1] != 0:
        raise Outcome("newer")
    if len(data) not in (37, 43):
        raise Outcome("typo")
    discriminator, minutes = int.from_bytes(data[2:4], "big"), data[4]
    address = None
    if len(data) == 43:
        port = int.from_bytes(data[37:39], "big")
        address = (str(ipaddress.IPv4Address(data[39:43])), port)
        if port == 0:
            raise Outcome("typo")
    if discriminator > 1023 or not 1 <= minutes <= 15:
        raise Outcome("typo")
    return Code(discriminator, minutes, data[5:21], data[21:37], address)


def commitment(identity_key: bytes, link_key: bytes) -> bytes:
    """Return the 16 bytes of a code that bind it to the inviter's keys."""
    return sha256(b"latchkey code commitment v1", identity_key, link_key)[:16]
