"""SHA-256, SHA-512, HMAC-SHA-256 and HKDF-SHA-256, from hashlib and the cryptography package."""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from material import make

FILE = "hashing.json"


def build() -> dict:
    messages = [make(f"message {size}", size) for size in (0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000)]
    return {
        "about": "hash functions; all bytes in hex",
        "sha256": [{"message": m.hex(), "digest": hashlib.sha256(m).hexdigest()} for m in messages],
        "sha512": [{"message": m.hex(), "digest": hashlib.sha512(m).hexdigest()} for m in messages],
        "hmacSHA256": [
            {"key": key.hex(), "message": m.hex(), "code": hmac.new(key, m, hashlib.sha256).hexdigest()}
            for size in (0, 1, 32, 63, 64, 65, 200)
            for key in [make(f"key {size}", size)]
            for m in messages[::4]
        ],
        "hkdfSHA256": [hkdf(*sizes) for sizes in (
            (0, 0, 0, 32), (0, 32, 0, 64), (32, 32, 0, 96), (32, 64, 20, 1), (13, 22, 10, 42), (80, 80, 80, 82),
            (32, 32, 65, 31), (64, 48, 12, 33), (65, 16, 300, 255), (32, 32, 8, 255 * 32))],
    }


def hkdf(salt_size: int, material_size: int, info_size: int, count: int) -> dict:
    salt, material, info = make("salt", salt_size), make("input key material", material_size), make("info", info_size)
    key = HKDF(algorithm=hashes.SHA256(), length=count, salt=salt, info=info).derive(material)
    return {"salt": salt.hex(), "inputKeyMaterial": material.hex(), "info": info.hex(), "key": key.hex()}
