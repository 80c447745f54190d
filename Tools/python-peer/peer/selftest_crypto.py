"""The vectors of hashes, keys, Noise and CPace."""

import hashlib
import hmac

from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base
from noise.connection import Keypair, NoiseConnection

from . import cpace
from .checks import equal, fault, vectors
from .faults import BrokenRule
from .identity import Keys, hkdf, verifies
from .noise import pairing_channel

_hex = bytes.fromhex


def check_hashing() -> None:
    for vector in vectors("hashing")["hkdfSHA256"]:
        key = _hex(vector["key"])
        got = hkdf(_hex(vector["salt"]), _hex(vector["inputKeyMaterial"]), _hex(vector["info"]), len(key))
        equal(got, key, "HKDF")
    for name in ("sha256", "sha512"):
        for vector in vectors("hashing")[name]:
            equal(hashlib.new(name, _hex(vector["message"])).hexdigest(), vector["digest"], name)
    for vector in vectors("hashing")["hmacSHA256"]:
        made = hmac.digest(_hex(vector["key"]), _hex(vector["message"]), "sha256")
        equal(made[: len(vector["code"]) // 2].hex(), vector["code"], "HMAC")


def check_keys() -> None:
    for vector in vectors("keys")["ed25519"]:
        keys, message = Keys(_hex(vector["seed"]), bytes(32)), _hex(vector["message"])
        equal(keys.identity_key.hex(), vector["publicKey"], "Ed25519")
        equal(keys.sign(message).hex(), vector["signature"], "Ed25519")
        equal(verifies(keys.identity_key, message + b"x", _hex(vector["signature"])), False, "Ed25519")
    for vector in vectors("keys")["x25519"]:
        equal(crypto_scalarmult_base(_hex(vector["secret"])).hex(), vector["publicKey"], "X25519")
        shared = crypto_scalarmult(_hex(vector["secret"]), _hex(vector["remotePublicKey"]))
        equal(shared.hex(), vector["shared"], "X25519")
    for vector in vectors("keys")["x25519LowOrder"]:
        channel = pairing_channel(b"\x44" * 32, b"", bytes(32))
        exchange = channel._noise.noise_protocol.dh_fn
        pair = exchange.klass.from_private_bytes(b"\x44" * 32)
        remote = exchange.klass.from_public_bytes(_hex(vector["publicKey"]))
        equal(fault(ValueError, exchange.dh, pair.private, remote.public) is None, False, "key of small order")


def check_noise() -> None:
    for vector in vectors("noise")["vectors"]:
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
            equal(made.hex(), message["message"], vector["pattern"])
            equal(bytes(reader.read_message(made)).hex(), message["payload"], vector["pattern"])
        for side in sides:
            equal(side.get_handshake_hash().hex(), vector["handshakeHash"], vector["pattern"])
        for step in vector["transport"]:
            writer, reader = sides if step["from"] == "initiator" else sides[::-1]
            if step.get("rekey"):
                writer.rekey_outbound_cipher()
                reader.rekey_inbound_cipher()
            else:
                made = writer.encrypt(_hex(step["plaintext"]))
                equal(made.hex(), step["message"], vector["pattern"])
                equal(reader.decrypt(made).hex(), step["plaintext"], vector["pattern"])


def check_cpace() -> None:
    given = vectors("cpace")
    for run in given["runs"]:
        value = {name: _hex(text) for name, text in run.items()}
        point = cpace.generator(value["password"], value["channelIdentifier"], value["sessionID"])
        equal(point, value["generator"], "CPace generator")
        for side, other in (("initiator", "responder"), ("responder", "initiator")):
            equal(cpace.multiply(value[side + "Scalar"], point), value[side + "Share"], "CPace share")
            shared = cpace.multiply(value[side + "Scalar"], value[other + "Share"])
            equal(shared, value["shared"], "CPace shared point")
        exchange = cpace.transcript(
            (value["initiatorShare"], value["initiatorAssociatedData"]),
            (value["responderShare"], value["responderAssociatedData"]),
        )
        equal(
            cpace.session_key(value["sessionID"], value["shared"], exchange),
            value["intermediateSessionKey"],
            "CPace key",
        )
        equal(hashlib.sha512(b"CPaceSidOutput" + exchange).digest(), value["sessionIDOutput"], "CPace session ID")
    for point in given["invalidPoints"]:
        secret = _hex(given["runs"][0]["initiatorScalar"])
        equal(fault(BrokenRule, cpace.multiply, secret, _hex(point)) is None, False, "invalid point")
