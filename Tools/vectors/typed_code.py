"""The typed code: its text, the two frames of its CPace run, and what comes of them. Protocol/03-pairing.md."""

import hashlib
import hmac

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


def build() -> dict:
    good = text(677, [7, 23, 2, 20, 21, 4])
    return {
        "about": "The typed code of Protocol/03-pairing.md: text, CPace run, derived values; bytes in hex, versions 1 to 1",
        "runs": [
            run(677, [7, 23, 2, 20, 21, 4], 2),
            run(0, [0, 0, 0, 0, 0, 0], 2),
            run(1023, [31, 31, 31, 31, 31, 31], 2),
        ],
        "readAlike": [good, good.lower(), good.replace("-", ""), f" {good.replace('-', ' ')}\n"],
        "refused": [good[:-1], good + "0", good[:-1] + ("0" if good[-1] != "0" else "1"), good.replace("7", "U"), ""],
    }
