"""The typed code: its text, the two frames of its CPace run, and their results.

Protocol/03-pairing.md.
"""

import hashlib
import hmac

import bech32m
import cpace
import ristretto255
from material import make

FILE = "typed-code.json"
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
VERSIONS = bytes([0, 0, 0, 1, 0, 0, 0, 1])


def check(values: list[int]) -> int:
    total, factor = 0, 2
    for value in reversed(values):
        product = factor * value
        total += product // 32 + product % 32
        factor = 3 - factor
    return -total % 32


def text(discriminator: int, secret: list[int]) -> str:
    values = [discriminator >> 5, discriminator & 31, *secret]
    symbols = "".join(ALPHABET[v] for v in [*values, check(values)])
    return f"{symbols[:2]}-{symbols[2:7]}-{symbols[7:]}"


def derive(salt: bytes, material: bytes, info: bytes) -> bytes:
    key = hmac.digest(salt, material, "sha256")
    return hmac.digest(key, info + b"\x01", "sha256")


def run(discriminator: int, secret: list[int], joiner_role: int) -> dict:
    label = f"typed code {discriminator}"
    preamble = bytes([0x4C, 0x4B, 1, 3]) + discriminator.to_bytes(2, "big")
    roles = bytes([1, joiner_role])
    password = "".join(ALPHABET[v] for v in secret).encode()
    channel = b"latchkey typed code v1" + preamble + roles
    session = make(f"{label} sid", 16)
    a, b = (int.from_bytes(make(f"{label} scalar {s}", 64), "little") % ristretto255.L for s in "ab")
    base = cpace.generator(password, channel, session)
    share_a, share_b = (ristretto255.encode(ristretto255.multiply(s, base)) for s in (a, b))
    shared = ristretto255.encode(ristretto255.multiply(a, ristretto255.decode(share_b)))
    offer, answer = session + share_a + VERSIONS, share_b + VERSIONS
    transcript = cpace.join(share_a, VERSIONS) + cpace.join(share_b, VERSIONS)
    code_secret = hashlib.sha512(cpace.join(b"CPaceRistretto255_ISK", session, shared) + transcript).digest()
    return {
        "discriminator": discriminator,
        "secretValues": secret,
        "text": text(discriminator, secret),
        "joinerRole": joiner_role,
        "joinerScalar": a.to_bytes(32, "little").hex(),
        "inviterScalar": b.to_bytes(32, "little").hex(),
        "sessionID": session.hex(),
        "channelIdentifier": channel.hex(),
        "offer": offer.hex(),
        "answer": answer.hex(),
        "codeSecret": code_secret.hex(),
        "handshakeKey": derive(b"latchkey pairing code v1", code_secret, b"handshake").hex(),
        "prologue": (b"latchkey pairing v1" + preamble + roles + offer + answer).hex(),
    }


def pasted(data: bytes, prefix: str = "lk") -> str:
    """Write a pasted code."""
    whole = bech32m.encode_symbols(prefix, bech32m.symbols_of(data)).upper()
    return "-".join(whole[i:i + 5] for i in range(0, len(whole), 5))


def refused(good: str) -> list[dict]:
    """Texts that are no code where one prompt takes both forms, each with the failure's word."""
    key = make("pasted code", 32)

    def data(version=1, flags=0, discriminator=677, minutes=5, address=b"") -> bytes:
        return bytes([version, flags]) + discriminator.to_bytes(2, "big") + bytes([minutes]) + key + address

    long, wrong = pasted(data()), "0" if good[-1] != "0" else "1"
    entries = {
        "": "empty",
        " -\u2013\n": "empty",
        good[:-1]: "length",
        good + "0": "length",
        "hello": "length",
        good[:-1] + wrong: "typo",
        good.replace("7", "U"): "typo",
        good[:-1] + "\u00e9": "typo",
        "https://example.org": "foreign",
        pasted(data(), "lk1q"): "foreign",
        "LK1": "truncated",
        long[:-2]: "truncated",
        long + "Q": "typo",
        long[:-1] + ("Q" if long[-1] != "Q" else "P"): "typo",
        pasted(data(version=2)): "newer",
        pasted(data(flags=1)): "newer",
        pasted(data(discriminator=1_024)): "typo",
        pasted(data(minutes=0)): "typo",
        pasted(data(minutes=16)): "typo",
        pasted(data(address=bytes([0, 0, 192, 168, 1, 5]))): "typo",
        pasted(data(address=bytes([1]))): "typo",
    }
    return [{"text": entry, "failure": failure} for entry, failure in entries.items()]


def build() -> dict:
    good = text(677, [7, 23, 2, 20, 21, 4])
    return {
        "about": "The typed code of Protocol/03-pairing.md: text, CPace run, derived values; bytes in hex, versions 1 to 1. "
        "What is refused, with the failure's word, is entered where either form of a code may be",
        "runs": [
            run(677, [7, 23, 2, 20, 21, 4], 2),
            run(0, [0, 0, 0, 0, 0, 0], 2),
            run(1023, [31, 31, 31, 31, 31, 31], 2),
        ],
        "readAlike": [good, good.lower(), good.replace("-", ""), f" {good.replace('-', ' ')}\n"],
        "refused": refused(good),
    }
