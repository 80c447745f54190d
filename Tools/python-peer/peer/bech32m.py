"""Bech32m, BIP-350."""

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_CONSTANT = 0x2BC830A3


def _polymod(values) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            if top >> bit & 1:
                check ^= generator
    return check


def _expanded(prefix: str) -> list[int]:
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def regroup(values, width_in: int, width_out: int, pad: bool) -> list[int]:
    """Cut `width_in`-bit values into `width_out`-bit ones; without `pad`, refuse nonzero padding.
    """
    held, bits, out = 0, 0, []
    for value in values:
        held, bits = held << width_in | value, bits + width_in
        while bits >= width_out:
            bits -= width_out
            out.append(held >> bits & (1 << width_out) - 1)
    rest = held & (1 << bits) - 1
    if pad and bits:
        out.append(rest << width_out - bits)
    elif not pad and (bits >= width_in or rest):
        raise ValueError("wrongPadding")
    return out


def symbols(text: str) -> tuple[str, list[int]]:
    """Return the prefix and the five-bit symbols of a text; raise ValueError with the fault."""
    if len(text) > 90:
        raise ValueError("tooLong")
    if any(not 33 <= ord(c) <= 126 for c in text):
        raise ValueError("invalidCharacter")
    if text.lower() != text and text.upper() != text:
        raise ValueError("mixedCase")
    prefix, one, data = text.lower().rpartition("1")
    if not one or not prefix:
        raise ValueError("missingPrefix")
    if len(data) < 6:
        raise ValueError("tooShort")
    if any(c not in ALPHABET for c in data):
        raise ValueError("invalidCharacter")
    values = [ALPHABET.index(c) for c in data]
    if _polymod(_expanded(prefix) + values) != _CONSTANT:
        raise ValueError("wrongChecksum")
    return prefix, values[:-6]


def decode(text: str) -> tuple[str, bytes]:
    """Return the prefix and the bytes of `text`; raise ValueError with the fault's name."""
    prefix, values = symbols(text)
    return prefix, bytes(regroup(values, 5, 8, pad=False))


def encode(prefix: str, data: bytes) -> str:
    """Write `data` as bech32m in lower case."""
    values = regroup(data, 8, 5, pad=True)
    check = _polymod(_expanded(prefix) + values + [0] * 6) ^ _CONSTANT
    return prefix + "1" + "".join(ALPHABET[v] for v in values + [check >> 5 * (5 - i) & 31 for i in range(6)])
