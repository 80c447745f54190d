"""Check this peer against the examples in Protocol/*.md and the vectors in Protocol/vectors."""

import hashlib
import hmac
import json
import os
import random
import re
import sys
import time
import warnings
from pathlib import Path

from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base
from noise.connection import Keypair, NoiseConnection

from . import bech32m, code, cpace, discovery, pairing, properties, schema, selftest_rules
from .faults import BrokenRule, Outcome
from .identity import CROCKFORD, Keys, device_id, hkdf, id_text, safe_name, verifies
from .noise import pairing_channel
from .store import key_id

_protocol = Path(__file__).resolve().parents[3] / "Protocol"
_hex = bytes.fromhex
_checks = 0


def _equal(got, wanted, what: str) -> None:
    global _checks
    _checks += 1
    if got != wanted:
        show = [value.hex() if isinstance(value, bytes) else value for value in (got, wanted)]
        sys.exit(f"{what}: got {show[0]}, the specification says {show[1]}")


def _fault(kind, call, *arguments):
    """Return the text of the exception of `kind` that the call raises, or None."""
    try:
        call(*arguments)
    except kind as error:
        return getattr(error, "word", str(error))
    return None


def _vectors(name: str) -> dict:
    return json.loads((_protocol / "vectors" / f"{name}.json").read_text())


def _example(file: str, label: str) -> str:
    """Return the value that a table of the specification has for a label."""
    found = re.search(rf"^\| {re.escape(label)} \| `([^`]*)` \|$", (_protocol / file).read_text(), re.M)
    if not found:
        sys.exit(f"{file} has no example for {label}")
    return found[1]


def _hashing() -> None:
    for vector in _vectors("hashing")["hkdfSHA256"]:
        key = _hex(vector["key"])
        got = hkdf(_hex(vector["salt"]), _hex(vector["inputKeyMaterial"]), _hex(vector["info"]), len(key))
        _equal(got, key, "HKDF")
    for name in ("sha256", "sha512"):
        for vector in _vectors("hashing")[name]:
            _equal(hashlib.new(name, _hex(vector["message"])).hexdigest(), vector["digest"], name)
    for vector in _vectors("hashing")["hmacSHA256"]:
        made = hmac.digest(_hex(vector["key"]), _hex(vector["message"]), "sha256")
        _equal(made[: len(vector["code"]) // 2].hex(), vector["code"], "HMAC")


def _keys() -> None:
    for vector in _vectors("keys")["ed25519"]:
        keys, message = Keys(_hex(vector["seed"]), bytes(32)), _hex(vector["message"])
        _equal(keys.identity_key.hex(), vector["publicKey"], "Ed25519")
        _equal(keys.sign(message).hex(), vector["signature"], "Ed25519")
        _equal(verifies(keys.identity_key, message + b"x", _hex(vector["signature"])), False, "Ed25519")
    for vector in _vectors("keys")["x25519"]:
        _equal(crypto_scalarmult_base(_hex(vector["secret"])).hex(), vector["publicKey"], "X25519")
        shared = crypto_scalarmult(_hex(vector["secret"]), _hex(vector["remotePublicKey"]))
        _equal(shared.hex(), vector["shared"], "X25519")
    for vector in _vectors("keys")["x25519LowOrder"]:
        channel = pairing_channel(b"\x44" * 32, b"", bytes(32))
        exchange = channel._noise.noise_protocol.dh_fn
        pair = exchange.klass.from_private_bytes(b"\x44" * 32)
        remote = exchange.klass.from_public_bytes(_hex(vector["publicKey"]))
        _equal(_fault(ValueError, exchange.dh, pair.private, remote.public) is None, False, "key of small order")


def _noise() -> None:
    for vector in _vectors("noise")["vectors"]:
        roles, sides = ("initiator", "responder"), []
        for role, other in (roles, roles[::-1]):
            side = NoiseConnection.from_name(f"Noise_{vector['pattern']}_25519_ChaChaPoly_SHA256".encode())
            if vector["presharedKeys"]:
                side.set_psks(psks=list(map(_hex, vector["presharedKeys"])))
            side.set_prologue(_hex(vector["prologue"]))
            side.set_as_initiator() if role == "initiator" else side.set_as_responder()
            side.set_keypair_from_private_bytes(Keypair.STATIC, _hex(vector[role + "Static"]))
            side.set_keypair_from_private_bytes(Keypair.EPHEMERAL, _hex(vector[role + "Ephemeral"]))
            side.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, _hex(vector[other + "StaticPublic"]))
            side.start_handshake()
            sides.append(side)
        for turn, message in enumerate(vector["messages"]):
            writer, reader = sides[turn % 2], sides[1 - turn % 2]
            made = bytes(writer.write_message(_hex(message["payload"])))
            _equal(made.hex(), message["message"], vector["pattern"])
            _equal(bytes(reader.read_message(made)).hex(), message["payload"], vector["pattern"])
        for side in sides:
            _equal(side.get_handshake_hash().hex(), vector["handshakeHash"], vector["pattern"])
        for step in vector["transport"]:
            writer, reader = sides if step["from"] == "initiator" else sides[::-1]
            if step.get("rekey"):
                writer.rekey_outbound_cipher()
                reader.rekey_inbound_cipher()
            else:
                made = writer.encrypt(_hex(step["plaintext"]))
                _equal(made.hex(), step["message"], vector["pattern"])
                _equal(reader.decrypt(made).hex(), step["plaintext"], vector["pattern"])


def _cpace() -> None:
    vectors = _vectors("cpace")
    for run in vectors["runs"]:
        value = {name: _hex(text) for name, text in run.items()}
        point = cpace.generator(value["password"], value["channelIdentifier"], value["sessionID"])
        _equal(point, value["generator"], "CPace generator")
        for side, other in (("initiator", "responder"), ("responder", "initiator")):
            _equal(cpace.multiply(value[side + "Scalar"], point), value[side + "Share"], "CPace share")
            shared = cpace.multiply(value[side + "Scalar"], value[other + "Share"])
            _equal(shared, value["shared"], "CPace shared point")
        exchange = cpace.transcript(
            (value["initiatorShare"], value["initiatorAssociatedData"]),
            (value["responderShare"], value["responderAssociatedData"]),
        )
        _equal(
            cpace.session_key(value["sessionID"], value["shared"], exchange),
            value["intermediateSessionKey"],
            "CPace key",
        )
        _equal(hashlib.sha512(b"CPaceSidOutput" + exchange).digest(), value["sessionIDOutput"], "CPace session ID")
    for point in vectors["invalidPoints"]:
        secret = _hex(vectors["runs"][0]["initiatorScalar"])
        _equal(_fault(BrokenRule, cpace.multiply, secret, _hex(point)) is None, False, "invalid point")


def _codes() -> None:
    vectors = _vectors("bech32m")
    for vector in vectors["texts"]:
        _equal(bech32m.encode(vector["prefix"], _hex(vector["data"])), vector["text"], "bech32m")
        _equal(bech32m.decode(vector["text"]), (vector["prefix"], _hex(vector["data"])), "bech32m")
    for vector in vectors["symbolTexts"]:
        _equal(bech32m.symbols(vector["text"])[1], vector["symbols"], "bech32m")
    for vector in vectors["badTexts"]:
        _equal(_fault(ValueError, bech32m.decode, vector["text"]), vector["fault"], "bech32m: " + repr(vector["text"]))

    inviter = Keys(b"\x11" * 32, b"\x22" * 32)
    secret = bytes(range(0xA0, 0xB0))
    commitment = code.commitment(inviter.identity_key, inviter.link_key)
    texts = re.findall(r"^\S+(?: address)? +(LK1[A-Z0-9-]+)$", (_protocol / "03-pairing.md").read_text(), re.M)
    wanted = [
        code.Code(677, secret, commitment),
        code.Code(677, secret, commitment, ("192.168.1.5", 41234)),
    ]
    _equal([code.read(text) for text in texts], wanted, "codes")
    for text, word in (
        ("- \n", "empty"),
        ("LK2" + texts[0][3:], "foreign"),
        (texts[0][:60], "truncated"),
        (texts[0].replace("G", "Q", 1), "typo"),
        (bech32m.encode("lk", b"\x02" + bytes(36)), "newer"),
        (bech32m.encode("lk", b"\x01\x00\x04\x00\x05" + bytes(32)), "typo"),
    ):
        _equal(_fault(Outcome, code.read, text), word, f"code {text!r}")


def _typed_codes() -> None:
    vectors = _vectors("typed-code")
    for run in vectors["runs"]:
        entered = code.read(run["text"])
        secret = "".join(CROCKFORD[value] for value in run["secretValues"]).encode()
        _equal(entered, code.Code(run["discriminator"], secret), "typed code")
        offer = pairing.Offer(entered, _hex(run["joinerScalar"]), _hex(run["sessionID"]))
        _equal(offer.frame.hex(), run["offer"], "offer")
        strong = offer.secret(_hex(run["answer"]))
        _equal(strong.hex(), run["codeSecret"], "code secret")
        _equal(pairing.handshake_key(strong).hex(), run["handshakeKey"], "handshake key")
        beginning = pairing.prologue(entered, _hex(run["offer"] + run["answer"]))
        _equal(beginning.hex(), run["prologue"], "prologue")
    for text in vectors["readAlike"]:
        _equal(code.read(text), code.read(vectors["readAlike"][0]), "typed code")
    for entry in vectors["refused"]:
        _equal(_fault(Outcome, code.read, entry["text"]), entry["failure"], f"code {entry['text']!r}")


def _names() -> None:
    for got, wanted in (
        ("  Emma ", "Emma"), ("a\nb\u202ec", "a\ufffdb\ufffdc"), ("é" * 40, "é" * 32), ("  ", "unnamed"),
    ):  # fmt: skip
        _equal(safe_name(got), wanted, "name")


def _pairing() -> None:
    """Run the joiner's side of the whole example of 03 section 6."""
    file, secret = "03-pairing.md", bytes(range(0xA0, 0xB0))
    inviter, joiner = Keys(b"\x11" * 32, b"\x22" * 32), Keys(b"\x33" * 32, b"\x44" * 32)
    random_inviter, random_joiner = b"\x55" * 32, b"\x66" * 32
    for label in ("identity public key", "link public key", "device ID"):
        kind = {"i": inviter.identity_key, "l": inviter.link_key, "d": inviter.device}[label[0]]
        _equal(kind.hex(), _example("01-overview.md", label), label)
    _equal(id_text(inviter.device), _example("01-overview.md", "as text"), "device ID")
    _equal(joiner.identity_key.hex(), _example(file, "joiner identity public key"), "joiner identity public key")
    _equal(joiner.link_key.hex(), _example(file, "joiner link public key"), "joiner link public key")
    _equal(id_text(joiner.device), _example(file, "joiner device ID"), "joiner device ID")
    psk = pairing.handshake_key(secret)
    _equal(psk.hex(), _example(file, "handshake key"), "handshake key")
    bound = pairing.joiner_commitment(joiner.identity_key, joiner.link_key, random_joiner)
    _equal(bound.hex(), _example(file, "joiner commitment"), "joiner commitment")
    key = pairing.pairwise_key(b"\x77" * 32, secret, random_inviter, random_joiner)
    _equal(key.hex(), _example(file, "pairwise key"), "pairwise key")
    proof = joiner.sign(pairing.proof_text(2, b"\x77" * 32))
    _equal(proof.hex(), _example(file, "proof of the joiner"), "proof of the joiner")
    both = (inviter.identity_key, inviter.link_key), (joiner.identity_key, joiner.link_key)
    _equal(pairing.digits(*both, (random_inviter, random_joiner)), _example(file, "digits"), "digits")

    beginning = pairing.prologue(code.Code(677, secret, bytes(16)), b"")
    channel = pairing_channel(joiner.link_secret, beginning, psk)
    channel.start(b"\xaa" * 32)
    made = channel.write(schema.PairingOpening(commitment=bound).SerializeToString())
    _equal(made.hex(), _example(file, "message 1, 82 bytes"), "message 1")
    told = schema.PairingIntroduction.FromString(channel.read(_hex(_example(file, "message 2, 186 bytes"))))
    _equal((told.name, told.identity_key), ("Kitchen laptop", inviter.identity_key), "message 2")
    _equal(channel.remote_link_key, inviter.link_key, "message 2")
    introduction = schema.PairingIntroduction(
        identity_key=joiner.identity_key, name="Emma's PC", role=2, random=random_joiner,
        least_version=1, greatest_version=1,
    )  # fmt: skip
    made = channel.write(introduction.SerializeToString())
    _equal(made.hex(), _example(file, "message 3, 149 bytes"), "message 3")
    step = schema.PairingStep(proof={"signature": joiner.sign(pairing.proof_text(2, channel.handshake_hash))})
    made = channel.seal(step.SerializeToString())
    _equal(made.hex(), _example(file, "the joiner's Proof, 84 bytes"), "the joiner's Proof")
    key = pairing.pairwise_key(channel.handshake_hash, secret, random_inviter, random_joiner)
    _equal(key.hex(), _example(file, "resulting pairwise key"), "resulting pairwise key")


def _discovery() -> None:
    device = device_id(*(getattr(Keys(b"\x33" * 32, b"\x44" * 32), name) for name in ("identity_key", "link_key")))
    text = (_protocol / "02-discovery.md").read_text()
    nonce, told, wanted = re.search(r"n = `(\w+)`, deviceID = `(\w+)`: h =\s`(\w+)`", text).groups()
    _equal(device.hex(), told, "device ID")
    _equal(discovery.hint(b"\x88" * 32, _hex(nonce), device).hex(), wanted, "hint")


def _removal() -> None:
    text = (_protocol / "06-messages.md").read_text()
    signature = _hex(re.search(r"\*\*Example\.\*\*[^`]*`8BK9[^`]*` to `BP15[^`]*`[^`]*`(\w{128})`", text)[1])
    inviter, joiner = Keys(b"\x11" * 32, b"\x22" * 32), Keys(b"\x33" * 32, b"\x44" * 32)
    message = b"latchkey removal v1" + inviter.device + joiner.device
    _equal(inviter.sign(message), signature, "removal")
    _equal(verifies(inviter.identity_key, message, signature), True, "removal")


def _rotation() -> None:
    for vector in _vectors("rotation")["keyID"]:
        _equal(key_id(_hex(vector["pairwiseKey"])).hex(), vector["keyID"], "key ID")
    for vector in _vectors("rotation")["hint"]:
        device, key, nonce = (_hex(vector[name]) for name in ("deviceID", "discoveryKey", "nonce"))
        _equal(discovery.hint(key, nonce, device).hex(), vector["hint"], "hint")


def _household() -> None:
    rules, edits = _vectors("rules"), _vectors("registers")
    selftest_rules.check_facts(_vectors("facts"), _equal)
    selftest_rules.check_ledgers(rules, _equal)
    selftest_rules.check_values(rules, _equal)
    selftest_rules.check_decisions(rules, _equal)
    selftest_rules.check_merges(rules["merge"] + edits["merge"], _equal)
    selftest_rules.check_edits(edits, _equal)


def _properties() -> None:
    """Try what must hold for all inputs with random ones; the seed is printed."""
    seed = int(os.environ.get("LATCHKEY_PEER_SEED", time.time_ns() % 2**32))
    print(f"properties: seed {seed} (LATCHKEY_PEER_SEED repeats it)")
    properties.check_all(random.Random(seed), _equal)


def _main() -> None:
    warnings.simplefilter("ignore")  # the package warns of ephemeral keys that are given
    checks = (
        _hashing, _keys, _noise, _cpace, _codes, _typed_codes, _names, _pairing, _discovery, _removal, _rotation,
        _household, _properties,
    )  # fmt: skip
    for check in checks:
        before = _checks
        check()
        print(f"{check.__name__[1:]}: {_checks - before} checks")


_main()
