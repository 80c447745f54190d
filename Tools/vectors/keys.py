"""Ed25519 signatures and X25519 agreements.

The cryptography package and PyNaCl must agree on them.
"""

import nacl.bindings
import nacl.signing
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from material import make

FILE = "keys.json"

PRIME = 2**255 - 19
# The u-coordinates of the points of small order, and of those that reduce to them.
LOW_ORDER = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    PRIME - 1,
    PRIME,
    PRIME + 1,
]


def build() -> dict:
    return {
        "about": "Ed25519 and X25519; all bytes in hex",
        "ed25519": [signature(f"signer {n}", make(f"signed {n}", n * 37)) for n in range(6)],
        "x25519": [agreement(n) for n in range(8)],
        "x25519LowOrder": [
            {"publicKey": (u | top).to_bytes(32, "little").hex()} for u in LOW_ORDER for top in (0, 1 << 255)
        ],
    }


def signature(label: str, message: bytes) -> dict:
    seed = make(label)
    signer = nacl.signing.SigningKey(seed)
    made = signer.sign(message).signature
    assert made == Ed25519PrivateKey.from_private_bytes(seed).sign(message)
    return {
        "seed": seed.hex(),
        "publicKey": bytes(signer.verify_key).hex(),
        "message": message.hex(),
        "signature": made.hex(),
    }


def agreement(number: int) -> dict:
    ours, theirs = make(f"ours {number}"), make(f"theirs {number}")
    our_public = nacl.bindings.crypto_scalarmult_base(ours)
    their_public = nacl.bindings.crypto_scalarmult_base(theirs)
    shared = nacl.bindings.crypto_scalarmult(ours, their_public)
    private = X25519PrivateKey.from_private_bytes(ours)
    assert shared == private.exchange(X25519PublicKey.from_public_bytes(their_public))
    return {
        "secret": ours.hex(),
        "publicKey": our_public.hex(),
        "remoteSecret": theirs.hex(),
        "remotePublicKey": their_public.hex(),
        "shared": shared.hex(),
    }
