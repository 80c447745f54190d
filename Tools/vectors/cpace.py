"""CPace over ristretto255 with SHA-512, written from draft-irtf-cfrg-cpace."""

import hashlib

import ristretto255
from material import make

FILE = "cpace.json"


def prepend_length(data: bytes) -> bytes:
    size, prefix = len(data), b""
    while size >= 128:
        prefix, size = prefix + bytes([size & 127 | 128]), size >> 7
    return prefix + bytes([size]) + data


def join(*parts: bytes) -> bytes:
    return b"".join(map(prepend_length, parts))


def generator(password: bytes, channel: bytes, session: bytes) -> ristretto255.Point:
    domain = b"CPaceRistretto255"
    padding = bytes(max(0, 128 - len(prepend_length(password)) - len(prepend_length(domain)) - 1))
    return ristretto255.from_hash(hashlib.sha512(join(domain, password, padding, channel, session)).digest())


def run(label: str, password: bytes, channel: bytes, session: bytes, data_a: bytes, data_b: bytes) -> dict:
    a = int.from_bytes(make(f"{label} scalar a", 64), "little") % ristretto255.L
    b = int.from_bytes(make(f"{label} scalar b", 64), "little") % ristretto255.L
    base = generator(password, channel, session)
    share_a, share_b = (ristretto255.encode(ristretto255.multiply(s, base)) for s in (a, b))
    shared = ristretto255.encode(ristretto255.multiply(a, ristretto255.decode(share_b)))
    assert shared == ristretto255.encode(ristretto255.multiply(b, ristretto255.decode(share_a)))
    transcript = join(share_a, data_a) + join(share_b, data_b)
    return {
        "password": password.hex(),
        "channelIdentifier": channel.hex(),
        "sessionID": session.hex(),
        "generator": ristretto255.encode(base).hex(),
        "initiatorScalar": a.to_bytes(32, "little").hex(),
        "initiatorAssociatedData": data_a.hex(),
        "initiatorShare": share_a.hex(),
        "responderScalar": b.to_bytes(32, "little").hex(),
        "responderAssociatedData": data_b.hex(),
        "responderShare": share_b.hex(),
        "shared": shared.hex(),
        "intermediateSessionKey": hashlib.sha512(
            join(b"CPaceRistretto255_ISK", session, shared) + transcript).hexdigest(),
        "sessionIDOutput": hashlib.sha512(b"CPaceSidOutput" + transcript).hexdigest(),
    }


def build() -> dict:
    good = make("cpace point", 64)
    bad = bytes([ristretto255.encode(ristretto255.from_hash(good))[0] ^ 1])
    bad += ristretto255.encode(ristretto255.from_hash(good))[1:]
    points = [bytes(32), bad, b"\xff" * 32, ristretto255.P.to_bytes(32, "little"), (1).to_bytes(32, "little")]
    assert all(ristretto255.decode(p) in (None, ristretto255.NEUTRAL) for p in points)
    return {
        "about": "CPace, ristretto255 and SHA-512, initiator-responder; all bytes in hex",
        "runs": [
            run("typed code", b"7KQ2M", make("channel", 24), make("session"), b"\x01", b"\x01\x02"),
            run("nothing said", b"7KQ2M", b"", b"", b"", b""),
            run("long password", make("password", 150), make("long channel", 200), make("session", 16),
                make("data a", 130), make("data b", 300)),
        ],
        "invalidPoints": [p.hex() for p in points],
    }
