"""Bech32m, written from BIP-350 and BIP-173, and the strings that BIP-350 lists as good and bad."""

from material import make

FILE = "bech32m.json"

ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

GOOD = [
    "A1LQFN3A",
    "a1lqfn3a",
    "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6",
    "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
    "11llllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllllludsr8",
    "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
    "?1v759aa",
]

BAD = [
    ("\x201xj0phk", "invalidCharacter"),
    ("\x7f1g6xzxy", "invalidCharacter"),
    ("\x801vctc34", "invalidCharacter"),
    ("an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts4", "tooLong"),
    ("qyrz8wqd2c9m", "missingPrefix"),
    ("1qyrz8wqd2c9m", "missingPrefix"),
    ("y1b0jsk6g", "invalidCharacter"),
    ("lt1igcx5c0", "invalidCharacter"),
    ("in1muywd", "tooShort"),
    ("mm1crxm3i", "invalidCharacter"),
    ("au1s5cgom", "invalidCharacter"),
    ("M1VUXWEZ", "wrongChecksum"),
    ("16plkw9", "missingPrefix"),
    ("1p2gdwpf", "missingPrefix"),
]


def polymod(values: list[int]) -> int:
    generator = [0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit in range(5):
            check ^= generator[bit] if top >> bit & 1 else 0
    return check


def encode_symbols(prefix: str, symbols: list[int]) -> str:
    spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = polymod(spread + symbols + [0] * 6) ^ 0x2BC830A3
    return prefix + "1" + "".join(ALPHABET[s] for s in symbols + [check >> 5 * (5 - i) & 31 for i in range(6)])


def symbols_of(data: bytes) -> list[int]:
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    return [int(bits[i:i + 5], 2) for i in range(0, len(bits), 5)]


def build() -> dict:
    for text in GOOD:
        prefix, _, rest = text.lower().rpartition("1")
        assert encode_symbols(prefix, [ALPHABET.index(c) for c in rest[:-6]]) == text.lower()
    texts = []
    for prefix, size in (("lk", 0), ("lk", 1), ("lk", 2), ("lk", 3), ("lk", 4), ("lk", 5), ("lk", 37), ("lk", 43),
                         ("lk", 50), ("latchkey", 20), ("a1b", 16)):
        data = make(f"bech32m {prefix} {size}", size)
        texts.append({"prefix": prefix, "data": data.hex(), "text": encode_symbols(prefix, symbols_of(data))})
    return {
        "about": "texts of bytes (hex), and of five-bit symbols that need not be whole bytes",
        "texts": texts,
        "symbolTexts": [
            {"text": text, "symbols": [ALPHABET.index(c) for c in text.lower().rpartition("1")[2][:-6]]}
            for text in GOOD
        ],
        "badTexts": [{"text": text, "fault": fault} for text, fault in BAD]
        + [{"text": "Lk1" + texts[6]["text"][3:], "fault": "mixedCase"}]
        # One symbol is no byte; two symbols hold a byte and two bits that must be zero.
        + [{"text": encode_symbols("lk", s), "fault": "wrongPadding"} for s in ([0], [0, 1], [0, 0, 0], [31] * 6)],
    }
