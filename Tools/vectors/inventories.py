"""Lists that machines give of themselves, written from Protocol/06-messages.md section 10."""

FILE = "inventories.json"

DEVICE, CHILD, RECORD = "0a" * 20, "0b" * 16, "0c" * 16
RUNNING = f"{RECORD}\n1000\n{CHILD}\nnet.minetest\nLuanti \u00fc\nreward\n1000\n1795000000000\n60000"
GOOD = {
    "accounts": [
        [],
        ["1000\nem2012\nEmma Maier\nEmma", "1001\nmum\n\n"],
        ["1000\nx\n\n\u00c4nne \U0001f380", "4294967295\n" + "y" * 64 + "\n" + "f" * 255 + "\n" + "n" * 64],
        [f"{uid}\na{uid}\n\nEmma" for uid in range(1_000, 1_064)],
    ],
    "conditions": [
        ["no-agent", "lingering 1000", "other-enforcer - timekpr", "privileged-group 0 docker", "a - -"],
        [f"note {number}" for number in range(64)],
    ],
    "installed": [
        ["net.minetest\nLuanti\n1:5.4\nreward", "a\nA \u00fc\n\nlearning", "b\nB\n\nneutral", "c\nC\n\n"],
    ],
    "parents": [
        [f"{DEVICE}\nDad's laptop\n1795000000000\n", f"{'0d' * 20}\nEvil twin\n0\n-5"],
        [f"{number:040x}\nMum\n{2**48 - 1}\n" for number in range(16)],
    ],
    "refused": [
        ["1000 org.gnome.Chess\nChess \u00fc\n1795000000000", "1000 path /home/emma/a game\na game\n0"],
        [f"{uid} argument {'/a' * 350}\n{'n' * 255}\n{2**48 - 1}" for uid in range(2**32 - 28, 2**32)],
        [f"{uid} a\nA\n1" for uid in range(32)],
        [
            f"1000 sha256 {'0a' * 32}\nZirp \u00fc\n1795000000000\nnet.zirp.zirp\n/home/emma/my games/zirp",
            "1000 path /home/emma/huge\nhuge\n2\n\n/home/emma/huge",
            "1000 argument /home/emma/kart.py\nKart\n3\nkart\n",
        ],
        [f"{uid} argument {'/a' * 200}\n{'n' * 255}\n{2**48 - 1}\na\n{'/b' * 144}" for uid in range(2**32 - 28, 2**32)],
    ],
    "running": [
        [RUNNING, f"{'0d' * 16}\n\n\na\nA\nneutral\n0\n0\n0"],
        [f"{number:032x}\n\n\na\nA\nlearning\n1000000000\n0\n{2**48 - 1}" for number in range(48)],
        [RUNNING + "\npaused"],
    ],
}
BAD = {
    "accounts": [
        [f"{uid}\nemma\n\n" for uid in range(1_000, 1_065)],
        ["1000\nemma\n\nEmma", "1000\ntom\n\nTom"],
        ["1000\n\n\nEmma"],
        ["1000\n" + "n" * 65 + "\n\n"],
        ["1000\nemma\n" + "f" * 256 + "\n"],
        ["1000\nem ma\n\n"],
        ["01000\nemma\n\n"],
        ["+1000\nemma\n\n"],
        ["4294967296\nemma\n\n"],
        ["1000\nemma\n"],
        ["1000\nemma\n\n\n"],
        *([f"1000\nemma\n\n{name}"] for name in ("n" * 65, "\u00e4" * 33, "Em\u202ema", "Em\nma", "Em\u200bma")),
        [""],
    ],
    "conditions": [
        [f"note {number}" for number in range(65)],
        ["note", "note"],
        ["Note"],
        ["n" * 65],
        ["note "],
        ["note -"],
        ["note - "],
        ["note 01"],
        ["note - a b"],
        ["note - " + "d" * 65],
        ["note\n1000"],
    ],
    "installed": [
        ["a\nA\n\n", "a\nB\n\n"],
        ["a b\nA\n\n"],
        ["a\n\n\n"],
        ["a\nA\x1bB\n\n"],
        ["a\nA\n" + "1" * 65 + "\n"],
        ["a\nA\n\nfun"],
        ["a\nA\n"],
    ],
    "parents": [
        [f"{number:040x}\nMum\n5\n" for number in range(17)],
        [f"{DEVICE}\nMum\n5\n", f"{DEVICE}\nDad\n6\n"],
        [f"{DEVICE[2:]}\nMum\n5\n"],
        [f"{DEVICE.upper()}\nMum\n5\n"],
        [f"{DEVICE}\n\n5\n"],
        [f"{DEVICE}\n Mum\n5\n"],
        [f"{DEVICE}\nM\u202eum\n5\n"],
        [f"{DEVICE}\nMum\n-1\n"],
        [f"{DEVICE}\nMum\n{2**48}\n"],
        [f"{DEVICE}\nMum\n5\n-0"],
    ],
    "refused": [
        [f"{uid} a\nA\n1" for uid in range(33)],
        ["1000 a\nA\n1", "1000 a\nB\n2"],
        ["1000 a\n\n1"],
        ["1000 a\nA\x1bB\n1"],
        ["1000 a\nA\n-1"],
        [f"1000 a\nA\n{2**48}"],
        ["1000 a\nA\n01"],
        ["01000 a\nA\n1"],
        ["1000\nA\n1"],
        ["1000 a b\nA\n1"],
        ["1000 path\t/a\nA\n1"],
        ["1000 path \nA\n1"],
        ["1000 path " + "/" * 701 + "\nA\n1"],
        ["1000 latchkey.unknown\nA\n1"],
        ["1000 latchkey.other\nA\n1"],
        ["1000 latchkey.screen\nA\n1"],
        ["1000 a\nA\n1\n"],
        ["1000 a\nA"],
        ["1000 path /a\nA\n1\n\n"],
        ["1000 path /a\nA\n1\na"],
        ["1000 path /a\nA\n1\na\n/a\n"],
        ["1000 a\nA\n1\nb\n"],
        ["1000 a\nA\n1\n\n/a"],
        ["1000 path /a\nA\n1\na b\n/a"],
        ["1000 path /a\nA\n1\nlatchkey.unknown\n/a"],
        ["1000 path /a\nA\n1\na\n/a\x1b"],
        [f"{2**32 - 1} argument {'/a' * 350}\n{'n' * 255}\n{2**48 - 1}\na\n"],
    ],
    "running": [
        [f"{number:032x}\n\n\na\nA\nneutral\n0\n0\n0" for number in range(49)],
        [RUNNING, RUNNING],
        *([RUNNING + more] for more in ("\n", "\nPaused", "\npaused\n", "\npaused\npaused")),
        *([RUNNING.replace(*change)] for change in (
            (RECORD, RECORD[2:]), (CHILD, CHILD[2:]), ("1000\n0b", "01000\n0b"), ("Luanti \u00fc", ""), ("reward", "fun"),
            ("\n1000\n179", "\n-1\n179"), ("\n1000\n179", "\n1000000001\n179"), ("\n60000", f"\n{2**48}"),
            ("\n60000", ""),
        )),  # fmt: skip
    ],
    "later": [[], ["x"]],
}


def build():
    lists = [{"body": body(kind, entries).hex(), "kind": kind, "entries": entries} for kind, all_ in GOOD.items() for entries in all_]
    fine = ["a\nA\n\n"]
    lists += [
        {"body": body("installed", fine, **more).hex(), "kind": "installed", "entries": fine}
        for more in ({"device": bytes.fromhex(DEVICE)}, {"number": 2**64 - 1}, {"part": 7, "parts": 8}, {"more": 2**32 - 1})
    ]
    wrong = [body(kind, entries) for kind, all_ in BAD.items() for entries in all_]
    wrong += [
        body("installed", fine, **more)
        for more in ({"device": b"1234"}, {"number": 0}, {"part": 1}, {"part": 8, "parts": 9}, {"parts": 0})
    ]
    wrong += [body("accounts", [], part=1, parts=2), message(2, b"accounts") + message(7, b"1000\nemma\n\n\xff"), b""]
    kinds = [kind for kind, all_ in BAD.items() for _ in all_] + ["installed"] * 5 + ["accounts"] * 2 + [""]
    lists += [{"body": bytes_.hex(), "kind": kind, "entries": None} for kind, bytes_ in zip(kinds, wrong, strict=True)]
    return {
        "about": "bodies of item kind 8 in hexadecimal with the kind of list and its entries, null if the list is refused, by "
        "Protocol/06-messages.md section 10",
        "lists": lists,
    }


def body(kind, entries, device=None, number=1, part=0, parts=1, more=0):
    """Return a part of a list as a protobuf message."""
    done = message(1, device) if device else b""
    done += message(2, kind.encode())
    for field, value in ((3, number), (4, part), (5, parts), (6, more)):
        done += varint(field * 8) + varint(value) if value else b""
    return done + b"".join(message(7, entry.encode()) for entry in entries)


def varint(value):
    done = b""
    while value >= 128:
        done, value = done + bytes([value % 128 + 128]), value // 128
    return done + bytes([value])


def message(field, content):
    return varint(field * 8 + 2) + varint(len(content)) + content
