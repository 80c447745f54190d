"""Check this peer against the examples in Protocol/*.md and the vectors in Protocol/vectors."""

import os
import random
import re
import time
import warnings

from . import bech32m, checks, code, discovery, pairing, properties, schema
from . import selftest_crypto, selftest_household, selftest_rules, selftest_shared
from .checks import PROTOCOL, equal, example, fault, vectors
from .faults import Outcome
from .identity import CROCKFORD, Keys, device_id, id_text, safe_name, verifies
from .noise import pairing_channel
from .store import key_id

_hex = bytes.fromhex


def _codes() -> None:
    given = vectors("bech32m")
    for vector in given["texts"]:
        equal(bech32m.encode(vector["prefix"], _hex(vector["data"])), vector["text"], "bech32m")
        equal(bech32m.decode(vector["text"]), (vector["prefix"], _hex(vector["data"])), "bech32m")
    for vector in given["symbolTexts"]:
        equal(bech32m.symbols(vector["text"])[1], vector["symbols"], "bech32m")
    for vector in given["badTexts"]:
        equal(fault(ValueError, bech32m.decode, vector["text"]), vector["fault"], "bech32m: " + repr(vector["text"]))

    inviter = Keys(b"\x11" * 32, b"\x22" * 32)
    secret = bytes(range(0xA0, 0xB0))
    commitment = code.commitment(inviter.identity_key, inviter.link_key)
    texts = re.findall(r"^\S+(?: address)? +(LK1[A-Z0-9-]+)$", (PROTOCOL / "03-pairing.md").read_text(), re.M)
    wanted = [
        code.Code(677, secret, commitment),
        code.Code(677, secret, commitment, ("192.168.1.5", 41234)),
    ]
    equal([code.read(text) for text in texts], wanted, "codes")
    for text, word in (
        ("- \n", "empty"),
        ("LK2" + texts[0][3:], "foreign"),
        (texts[0][:60], "truncated"),
        (texts[0].replace("G", "Q", 1), "typo"),
        (bech32m.encode("lk", b"\x02" + bytes(36)), "newer"),
        (bech32m.encode("lk", b"\x01\x00\x04\x00\x05" + bytes(32)), "typo"),
    ):
        equal(fault(Outcome, code.read, text), word, f"code {text!r}")


def _typed_codes() -> None:
    given = vectors("typed-code")
    for run in given["runs"]:
        entered = code.read(run["text"])
        secret = "".join(CROCKFORD[value] for value in run["secretValues"]).encode()
        equal(entered, code.Code(run["discriminator"], secret), "typed code")
        offer = pairing.Offer(entered, _hex(run["joinerScalar"]), _hex(run["sessionID"]))
        equal(offer.frame.hex(), run["offer"], "offer")
        strong = offer.secret(_hex(run["answer"]))
        equal(strong.hex(), run["codeSecret"], "code secret")
        equal(pairing.handshake_key(strong).hex(), run["handshakeKey"], "handshake key")
        beginning = pairing.prologue(entered, _hex(run["offer"] + run["answer"]))
        equal(beginning.hex(), run["prologue"], "prologue")
    for text in given["readAlike"]:
        equal(code.read(text), code.read(given["readAlike"][0]), "typed code")
    for entry in given["refused"]:
        equal(fault(Outcome, code.read, entry["text"]), entry["failure"], f"code {entry['text']!r}")


def _names() -> None:
    for got, wanted in (
        ("  Emma ", "Emma"), ("a\nb\u202ec", "a\ufffdb\ufffdc"), ("é" * 40, "é" * 32), ("  ", "unnamed"),
    ):  # fmt: skip
        equal(safe_name(got), wanted, "name")


def _pairing() -> None:
    """Run the joiner's side of the whole example of 03 section 6."""
    file, secret = "03-pairing.md", bytes(range(0xA0, 0xB0))
    inviter, joiner = Keys(b"\x11" * 32, b"\x22" * 32), Keys(b"\x33" * 32, b"\x44" * 32)
    random_inviter, random_joiner = b"\x55" * 32, b"\x66" * 32
    for label in ("identity public key", "link public key", "device ID"):
        kind = {"i": inviter.identity_key, "l": inviter.link_key, "d": inviter.device}[label[0]]
        equal(kind.hex(), example("01-overview.md", label), label)
    equal(id_text(inviter.device), example("01-overview.md", "as text"), "device ID")
    equal(joiner.identity_key.hex(), example(file, "joiner identity public key"), "joiner identity public key")
    equal(joiner.link_key.hex(), example(file, "joiner link public key"), "joiner link public key")
    equal(id_text(joiner.device), example(file, "joiner device ID"), "joiner device ID")
    psk = pairing.handshake_key(secret)
    equal(psk.hex(), example(file, "handshake key"), "handshake key")
    bound = pairing.joiner_commitment(joiner.identity_key, joiner.link_key, random_joiner)
    equal(bound.hex(), example(file, "joiner commitment"), "joiner commitment")
    key = pairing.pairwise_key(b"\x77" * 32, secret, random_inviter, random_joiner)
    equal(key.hex(), example(file, "pairwise key"), "pairwise key")
    proof = joiner.sign(pairing.proof_text(2, b"\x77" * 32))
    equal(proof.hex(), example(file, "proof of the joiner"), "proof of the joiner")
    both = (inviter.identity_key, inviter.link_key), (joiner.identity_key, joiner.link_key)
    equal(pairing.digits(*both, (random_inviter, random_joiner)), example(file, "digits"), "digits")

    beginning = pairing.prologue(code.Code(677, secret, bytes(16)), b"")
    channel = pairing_channel(joiner.link_secret, beginning, psk)
    channel.start(b"\xaa" * 32)
    made = channel.write(schema.PairingOpening(commitment=bound).SerializeToString())
    equal(made.hex(), example(file, "message 1, 82 bytes"), "message 1")
    told = schema.PairingIntroduction.FromString(channel.read(_hex(example(file, "message 2, 186 bytes"))))
    equal((told.name, told.identity_key), ("Kitchen laptop", inviter.identity_key), "message 2")
    equal(channel.remote_link_key, inviter.link_key, "message 2")
    introduction = schema.PairingIntroduction(
        identity_key=joiner.identity_key, name="Emma's PC", role=2, random=random_joiner,
        least_version=1, greatest_version=1,
    )  # fmt: skip
    made = channel.write(introduction.SerializeToString())
    equal(made.hex(), example(file, "message 3, 149 bytes"), "message 3")
    step = schema.PairingStep(proof={"signature": joiner.sign(pairing.proof_text(2, channel.handshake_hash))})
    made = channel.seal(step.SerializeToString())
    equal(made.hex(), example(file, "the joiner's Proof, 84 bytes"), "the joiner's Proof")
    key = pairing.pairwise_key(channel.handshake_hash, secret, random_inviter, random_joiner)
    equal(key.hex(), example(file, "resulting pairwise key"), "resulting pairwise key")


def _discovery() -> None:
    device = device_id(*(getattr(Keys(b"\x33" * 32, b"\x44" * 32), name) for name in ("identity_key", "link_key")))
    text = (PROTOCOL / "02-discovery.md").read_text()
    nonce, told, wanted = re.search(r"n = `(\w+)`, deviceID = `(\w+)`: h =\s`(\w+)`", text).groups()
    equal(device.hex(), told, "device ID")
    equal(discovery.hint(b"\x88" * 32, _hex(nonce), device).hex(), wanted, "hint")


def _removal() -> None:
    text = (PROTOCOL / "06-messages.md").read_text()
    signature = _hex(re.search(r"\*\*Example\.\*\*[^`]*`8BK9[^`]*` to `BP15[^`]*`[^`]*`(\w{128})`", text)[1])
    inviter, joiner = Keys(b"\x11" * 32, b"\x22" * 32), Keys(b"\x33" * 32, b"\x44" * 32)
    message = b"latchkey removal v1" + inviter.device + joiner.device
    equal(inviter.sign(message), signature, "removal")
    equal(verifies(inviter.identity_key, message, signature), True, "removal")


def _rotation() -> None:
    for vector in vectors("rotation")["keyID"]:
        equal(key_id(_hex(vector["pairwiseKey"])).hex(), vector["keyID"], "key ID")
    for vector in vectors("rotation")["hint"]:
        device, key, nonce = (_hex(vector[name]) for name in ("deviceID", "discoveryKey", "nonce"))
        equal(discovery.hint(key, nonce, device).hex(), vector["hint"], "hint")


def _household() -> None:
    rules, edits = vectors("rules"), vectors("registers")
    selftest_rules.check_facts(vectors("facts"), equal)
    selftest_rules.check_ledgers(rules, equal)
    selftest_rules.check_values(rules, equal)
    selftest_rules.check_use(rules, equal)
    selftest_rules.check_decisions(rules, equal)
    selftest_rules.check_merges(rules["merge"] + edits["merge"], equal)
    selftest_rules.check_edits(edits, equal)
    selftest_household.check_lessons(equal)
    selftest_household.check_forgetting(equal)
    selftest_household.check_lists(vectors("inventories")["lists"], equal)
    selftest_household.check_phrases(vectors("phrases")["receipts"], equal)
    selftest_household.check_defaults((PROTOCOL / "11-rules.md").read_text(), equal)


def _shared() -> None:
    selftest_shared.check_vectors(vectors("shared"), equal)


def _naming() -> None:
    selftest_shared.check_verdicts(equal)
    selftest_shared.check_owners(equal)
    selftest_shared.check_naming(equal)


def _properties() -> None:
    """Test the properties with random inputs; the seed is printed."""
    seed = int(os.environ.get("LATCHKEY_PEER_SEED", time.time_ns() % 2**32))
    print(f"properties: seed {seed} (LATCHKEY_PEER_SEED repeats it)")
    properties.check_all(random.Random(seed), equal)


def _main() -> None:
    warnings.simplefilter("ignore")  # the package warns about given ephemeral keys
    crypto = selftest_crypto
    for check in (
        crypto.check_hashing, crypto.check_keys, crypto.check_noise, crypto.check_cpace, _codes, _typed_codes, _names,
        _pairing, _discovery, _removal, _rotation, _household, _shared, _naming,
        _properties,
    ):  # fmt: skip
        before = checks.count
        check()
        print(f"{check.__name__.removeprefix('check').removeprefix('_')}: {checks.count - before} checks")


_main()
