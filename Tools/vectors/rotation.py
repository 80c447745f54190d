"""IDs of pairwise keys, and hints in announcements before and after a change of the discovery key,
from Python's hashlib.
"""

import hashlib
import hmac

from material import make

FILE = "rotation.json"


def build() -> dict:
    device, nonce = make("rotation device", 20), make("rotation nonce", 8)
    return {
        "about": "what follows from keys that take the place of others; all bytes in hex",
        "keyID": [key_id(make(f"pairwise key {n}")) for n in range(4)],
        "hint": [hint(make(f"discovery key {n}"), nonce, device) for n in range(3)],
    }


def key_id(key: bytes) -> dict:
    digest = hashlib.sha256(b"latchkey pairwise key id v1" + key).digest()
    return {"pairwiseKey": key.hex(), "keyID": digest[:8].hex()}


def hint(key: bytes, nonce: bytes, device: bytes) -> dict:
    code = hmac.new(key, nonce + device, hashlib.sha256).digest()
    return {"discoveryKey": key.hex(), "nonce": nonce.hex(), "deviceID": device.hex(), "hint": code[:8].hex()}
