"""Whole Noise conversations, from the noiseprotocol package."""

import warnings

import nacl.bindings
from noise.connection import Keypair, NoiseConnection

from material import make

FILE = "noise.json"

FUNDAMENTAL = "N K X NN NK NX XN XK XX KN KK KX IN IK IX".split()
WITH_KEYS = ["XXpsk0+psk3", "IKpsk2", "KKpsk0", "Npsk0", "XNpsk1+psk2", "Xpsk1"]


def build() -> dict:
    warnings.simplefilter("ignore")
    return {
        "about": "Noise, suite 25519_ChaChaPoly_SHA256; all bytes in hex. After the handshake, steps tell who sends "
                 "what, and when a sender goes on to its next key (rekey)",
        "vectors": [conversation(name) for name in FUNDAMENTAL + WITH_KEYS],
    }


def known_before(base: str) -> tuple[bool, bool]:
    """Tell which static keys, the initiator's and the responder's, are known in advance."""
    if len(base) == 1:
        return base == "K", True
    return base[0] == "K", base[1] == "K"


def has_static(base: str) -> tuple[bool, bool]:
    if len(base) == 1:
        return base != "N", True
    return base[0] != "N", base[1] != "N"


def conversation(pattern: str) -> dict:
    base, _, modifiers = pattern.partition("psk")
    one_way = len(base) == 1
    prologue = make(f"{pattern} prologue", 21)
    psks = [make(f"{pattern} psk {n}") for n in range(modifiers.count("psk") + 1)] if modifiers else []
    secrets = {k: make(f"{pattern} {k}") for k in ("initiatorStatic", "initiatorEphemeral", "responderStatic",
                                                   "responderEphemeral")}
    public = {k: nacl.bindings.crypto_scalarmult_base(v) for k, v in secrets.items()}
    sides = []
    for role, other, index in (("initiator", "responder", 0), ("responder", "initiator", 1)):
        side = NoiseConnection.from_name(f"Noise_{pattern}_25519_ChaChaPoly_SHA256".encode())
        side.set_as_initiator() if index == 0 else side.set_as_responder()
        side.set_prologue(prologue)
        if psks:
            side.set_psks(psks=list(psks))
        if has_static(base)[index]:
            side.set_keypair_from_private_bytes(Keypair.STATIC, secrets[role + "Static"])
        if known_before(base)[1 - index]:
            side.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, public[other + "Static"])
        side.set_keypair_from_private_bytes(Keypair.EPHEMERAL, secrets[role + "Ephemeral"])
        side.start_handshake()
        sides.append(side)

    messages = []
    while not sides[0].handshake_finished:
        number = len(messages)
        sender, receiver = sides[number % 2], sides[1 - number % 2]
        payload = make(f"{pattern} payload {number}", [0, 17, 64, 5][number])
        message = bytes(sender.write_message(payload))
        assert bytes(receiver.read_message(message)) == payload
        messages.append({"payload": payload.hex(), "message": message.hex()})
    assert sides[0].get_handshake_hash() == sides[1].get_handshake_hash()

    steps = []
    for number in range(6):
        index = 0 if one_way else number % 2
        role = ("initiator", "responder")[index]
        if number in (3, 4):
            sides[index].rekey_outbound_cipher()
            sides[1 - index].rekey_inbound_cipher()
            steps.append({"from": role, "rekey": True})
        plaintext = make(f"{pattern} transport {number}", [0, 1, 40, 300, 16, 33][number])
        sealed = bytes(sides[index].encrypt(plaintext))
        assert bytes(sides[1 - index].decrypt(sealed)) == plaintext
        steps.append({"from": role, "plaintext": plaintext.hex(), "message": sealed.hex()})

    return {
        "pattern": pattern,
        "prologue": prologue.hex(),
        "presharedKeys": [psk.hex() for psk in psks],
        **{k: v.hex() for k, v in secrets.items()},
        "initiatorStaticPublic": public["initiatorStatic"].hex(),
        "responderStaticPublic": public["responderStatic"].hex(),
        "messages": messages,
        "handshakeHash": sides[0].get_handshake_hash().hex(),
        "transport": steps,
    }
