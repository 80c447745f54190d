"""Write every vector file, or compare them with the existing ones.

Each module below makes one file.
"""

import difflib
import json
import pathlib
import sys

import accounts
import agent
import bech32m
import cpace
import hashing
import inventories
import keys
import noise_handshakes
import phrases
import programs
import registers
import rotation
import rules
import shared
import typed_code

MODULES = [hashing, keys, bech32m, cpace, typed_code, noise_handshakes, rotation, rules, registers, accounts, shared, inventories, phrases, agent, programs]


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    check = "--check" in sys.argv[2:]
    differs = False
    folder.mkdir(parents=True, exist_ok=True)
    for module in MODULES:
        path = folder / module.FILE
        text = json.dumps(module.build(), indent=1, ensure_ascii=True) + "\n"
        if not check:
            path.write_text(text)
            print(f"wrote {path.name}")
            continue
        present = path.read_text() if path.exists() else ""
        if present != text:
            differs = True
            names = f"committed {path.name}", f"generated {path.name}"
            print("\n".join(difflib.unified_diff(present.splitlines(), text.splitlines(), *names, lineterm="")))
    if check:
        print("the committed vectors differ; run Tools/generate-vectors" if differs else "the vectors are current")
    return 1 if differs else 0


sys.exit(main())
