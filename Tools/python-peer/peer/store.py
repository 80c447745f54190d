"""The data that must outlive the process.

Each method is one durable transaction unless it says otherwise.

Spec: Protocol/03-pairing.md section 5, Protocol/04-session.md section 9
"""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .frames import now
from .identity import CHILD, PARENT, Keys
from .streams import Streams

PENDING_SECONDS = 24 * 3_600.0  # after 60 s it has lapsed: not paired, but a session can complete it
GUESSES, GUESS_SECONDS = 5, 15 * 60.0

def boot() -> str:
    """Return the name of this start of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _founded(role: int) -> bytes | None:
    """Return the discovery key of a new household, which a parent creates."""
    return os.urandom(32) if role == PARENT else None


def key_id(key: bytes) -> bytes:
    """Return the ID of a pairwise key."""
    return hashlib.sha256(b"latchkey pairwise key id v1" + key).digest()[:8]


@dataclass(frozen=True)
class Peer:
    """A paired device and the keys to try with it, that of a pending pairing first."""

    id: bytes
    identity_key: bytes
    link_key: bytes
    name: str
    pending_key: bytes | None
    key: bytes | None
    previous_key: bytes | None
    addresses: tuple[str, ...]

    @property
    def keys(self) -> list[bytes]:
        """The keys that the peer may answer with, most likely first."""
        return [key for key in (self.pending_key, self.key, self.previous_key) if key]


class Store(Streams):
    """The durable state of one folder: this device, its peers, and what `Streams` and `Database`
    hold.
    """

    def __init__(self, folder: Path, name: str | None = None, role: int = CHILD):
        super().__init__(folder)
        # Called when a pairing becomes final, in its transaction.
        self.paired: Callable[[bytes], None] = lambda peer: None
        with self.transaction():
            if self.one("select 1 from device") is None:
                self.run(
                    "insert into device values(?,?,?,?,?)",
                    *(os.urandom(32), os.urandom(32), name or "Python peer", _founded(role), role),
                )
            if name is not None:
                self.run("update device set name=?", name)
            self._roll_back()
        seed, link_secret, self.name, self.role = self.one("select seed, link_secret, name, role from device")
        self.keys = Keys(seed, link_secret)

    # Peers

    def _roll_back(self) -> None:
        """Undo pending pairings that are too old; the time of those from an earlier boot begins
        again.
        """
        self.run("update peer set pending_boot=?1, pending_at=?2 where pending_boot<>?1", boot(), now())
        self._undo_pending("pending_at<?", now() - PENDING_SECONDS)

    def _undo_pending(self, which: str, *values) -> None:
        self.run(f"delete from peer where state='pending' and {which}", *values)
        self.run(
            "update peer set pending_key=null, pending_at=null, pending_boot=null, pending_discovery_key=null "
            f"where {which}",
            *values,
        )

    def keep_pending(self, peer, identity_key, link_key, name, key, discovery_key) -> None:
        """Store the inviter as pending; an earlier pairing with it stays in force."""
        with self.transaction():
            self._undo_pending("id<>?", peer)
            self.run(
                "insert or ignore into peer(id, identity_key, link_key, name, state, role) "
                "values(?,?,?,?,'pending',?)",
                *(peer, identity_key, link_key, name, PARENT if self.role == CHILD else CHILD),
            )
            self.run(
                "update peer set name=?, pending_key=?, pending_at=?, pending_boot=?, pending_discovery_key=? "
                "where id=?",
                *(name, key, now(), boot(), discovery_key, peer),
            )

    def discard_pending(self, peer: bytes) -> None:
        """Undo a pending pairing at once."""
        with self.transaction():
            self._undo_pending("id=?", peer)

    def promote(self, peer: bytes) -> bool:
        """Make a pending pairing final; tell whether there was one."""
        with self.transaction():
            self._roll_back()
            return self._promote(peer)

    def _promote(self, peer: bytes) -> bool:
        row = self.one(
            "select state, pending_discovery_key from peer where id=? and pending_key is not null",
            peer,
        )
        if row is None:
            return False
        if row[0] != "active":
            self._give_up_streams(peer)
        self.run("update device set discovery_key=?", row[1])
        self.run(
            "update peer set state='active', key=pending_key, pending_key=null, pending_at=null, pending_boot=null, "
            "pending_discovery_key=null, previous_key=null, paired_at=? where id=?",
            *(int(time.time() * 1_000), peer),
        )
        self.paired(peer)
        return True

    def role_of(self, device: bytes) -> int | None:
        """Return the role of this device or of a paired one; None for others."""
        if device == self.keys.device:
            return self.role
        row = self.one("select role from peer where id=? and state='active'", device)
        return row and row[0]

    def active(self) -> list[bytes]:
        """Return the IDs of the paired devices, the one that was paired last first."""
        return [row[0] for row in self.all("select id from peer where state='active' order by rowid desc")]

    def rotate(self, peer: bytes, rotation) -> None:
        """Store new keys from the parent; within a transaction."""
        key, pending, generation = self.one("select key, pending_key, generation from peer where id=?", peer)
        if pending is not None and key_id(pending) == rotation.replaces:
            self._promote(peer)
            key = pending
        if rotation.generation >= generation:
            self.run("update device set discovery_key=?", rotation.discovery_key)
            self.run("update peer set generation=? where id=?", rotation.generation, peer)
        if key is not None and key_id(key) == rotation.replaces:
            self.run("update peer set previous_key=key, key=? where id=?", rotation.pairwise_key, peer)

    def answers_with(self, peer: bytes, named: bytes) -> None:
        """Erase the replaced key once the parent answers with the present one."""
        with self.transaction():
            key = self.one("select key from peer where id=?", peer)[0]
            if key is not None and key_id(key) == named:
                self.run("update peer set previous_key=null where id=?", peer)

    def peers(self) -> list[Peer]:
        """Return the devices with which a session may be opened, the one that was paired last
        first.
        """
        with self.transaction():
            self._roll_back()
            rows = self.all(
                "select id, identity_key, link_key, name, pending_key, key, previous_key, last, given from peer "
                "where state='active' or pending_key is not null order by rowid desc"
            )
        return [Peer(*row[:7], tuple(filter(None, row[7:]))) for row in rows]

    @property
    def discovery_keys(self) -> list[bytes]:
        """The household's discovery key, and that of a pending pairing."""
        rows = self.all(
            "select pending_discovery_key from peer where pending_discovery_key is not null "
            "union select discovery_key from device where discovery_key is not null"
        )
        return [row[0] for row in rows]

    @property
    def discovery_key(self) -> bytes | None:
        """The key of the household that this device belongs to."""
        return self.one("select discovery_key from device")[0]

    def remember(self, peer: bytes, last: str | None = None, given: str | None = None) -> None:
        """Store the address at which a session was authenticated, or one that a person gave."""
        with self.transaction():
            self.run("update peer set last=coalesce(?, last), given=coalesce(?, given) where id=?", last, given, peer)

    def remove(self, peer: bytes) -> None:
        """Handle a removal by the peer; within a transaction."""
        self._give_up_streams(peer)
        self.run("update peer set state='removed', key=null, pending_key=null, previous_key=null where id=?", peer)

    def _give_up_streams(self, peer: bytes) -> None:
        for table in ("outgoing", "item", "incoming", "holder", "refused"):
            self.run(f"delete from {table} where peer=?", peer)
        self.run("delete from inventory where machine=?", peer)

    # Guesses at typed codes

    def may_guess(self, discriminator: int) -> bool:
        """Tell whether a typed code with this discriminator may be tried; runs of an earlier boot
        count as well.
        """
        recent = "(boot=?1 and at>?2) or (boot<>?1 and ?3<?4)"
        values = (boot(), now() - GUESS_SECONDS, now(), GUESS_SECONDS)
        count = self.one(f"select count(*) from run where discriminator=?5 and ({recent})", *values, discriminator)[0]
        return count < GUESSES

    def count_run(self, discriminator: int) -> int:
        """Count a run, which may let the other side test a guess; return its number."""
        with self.transaction():
            return self.run(
                "insert into run(discriminator, at, boot) values(?,?,?)", discriminator, now(), boot()
            ).lastrowid

    def take_back_run(self, run: int) -> None:
        """Forget a run: the other side knows the code."""
        with self.transaction():
            self.run("delete from run where id=?", run)
