"""Make the inputs of the vectors: bytes that look random and are the same in every run."""

import hashlib


def make(label: str, count: int = 32) -> bytes:
    """Return `count` bytes that only depend on the label."""
    return hashlib.shake_256(b"latchkey vectors: " + label.encode()).digest(count)
