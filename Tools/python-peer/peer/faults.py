"""The faults, as exceptions, and the crashes that tests request."""

import os
import signal

SENTENCES = {
    "empty": "No code was entered: copy the whole code from the other machine's screen and enter it.",
    "foreign": "This is not a Latchkey code: enter the one that begins with LK1 on the other machine's screen.",
    "truncated": "The code is not complete: copy all of it from the other machine's screen.",
    "length": "The short code has nine symbols, such as N5-7Q2MN-43: enter all of it.",
    "newer": "This code is of a newer version: update this machine's software, then enter it again.",
    "typo": "The code has a typing error: compare it with the other machine's screen and enter it again.",
    "wrong-code": "The other machine refused this code: ask for the code that it shows now, and enter it again.",
    "expired": "The other machine has no open code that matches: make a new one there and enter that.",
    "refused": "The other machine said no: the digits differ or somebody declined; ask there, then start anew.",
    "busy": "The other machine is pairing with another one just now: wait a moment and enter the code again.",
    "not-found": "No machine with this code was found: check that it runs and is in this network, or give --peer.",
    "network": "The connection was lost before the pairing was complete: enter the code again while it is valid.",
    "version": "The versions on the two machines do not work together: update the older one.",
    "already-paired": "The two machines are paired already: nothing was changed.",
    "cancelled": "The pairing was cancelled: nothing was changed; start again when both are ready.",
}


def may_crash(point: str) -> None:
    """End by SIGKILL if a test wants to see what remains."""
    if os.environ.get("LATCHKEY_PEER_KILL_AT") == point:
        os.kill(os.getpid(), signal.SIGKILL)


class BrokenRule(Exception):
    """The other side sent what the specification forbids."""


class Lost(Exception):
    """The connection is gone, or the other side is silent for too long."""


class Silent(Lost):
    """Nothing arrived in time."""


class Outcome(Exception):
    """The end of a pairing or of reading a code without success, with one of the specification's
    words.

    Spec: Protocol/03-pairing.md section 8
    """

    def __init__(self, word: str):
        super().__init__(SENTENCES.get(word, SENTENCES["refused"]))
        self.word = word if word in SENTENCES else "refused"


class NoRoom(Exception):
    """Something of this machine cannot be stored or spent; the text says why."""


class NotNamed(Exception):
    """A child was not named, for one of the reasons of the local API, or for want of a PIN.

    Spec: Protocol/10-household.md section 3
    """

    def __init__(self, word: str, wait: int = 0):
        super().__init__(f"not named: {word}" + (f", for {wait} ms" if wait else ""))
        self.word, self.wait = word, wait


class Refused(Exception):
    """The refusal of a peer's item, for one of the reasons of the specification.

    Spec: Protocol/06-messages.md section 9
    """

    def __init__(self, reason: int):
        super().__init__(f"refused with reason {reason}")
        self.reason = reason
        self.events: list[dict] = []  # the part of the item that was accepted nevertheless
