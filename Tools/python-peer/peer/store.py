"""What must outlive the process, in one SQLite file; each method is one durable transaction.

Spec: Protocol/03-pairing.md section 5, Protocol/04-session.md section 9, Protocol/05-delivery.md sections 2 to 7
"""

import fcntl
import hashlib
import os
import secrets
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .frames import now
from .identity import Keys

PENDING_SECONDS = 24 * 3_600.0  # from 60 s on it has lapsed: not paired, and yet a session completes it
GUESSES, GUESS_SECONDS = 5, 15 * 60.0
QUEUE_ITEMS, QUEUE_BYTES = 1_000_000, 1 << 30

_SCHEMA = """
create table if not exists device(seed blob, link_secret blob, name text, discovery_key blob);
create table if not exists peer(
  id blob primary key, identity_key blob, link_key blob, name text, state text, key blob, given text, last text,
  pending_key blob, pending_at real, pending_boot text, pending_discovery_key blob, previous_key blob,
  generation int default 0);
create table if not exists outgoing(peer blob, class int, epoch blob, last int, stored int, primary key(peer, class));
create table if not exists item(
  peer blob, class int, number int, kind int, id blob, body blob, primary key(peer, class, number));
create table if not exists incoming(peer blob, class int, epoch blob, watermark int, primary key(peer, class));
create table if not exists answered(id blob primary key, receipt blob);
create table if not exists register(
  zone int, zone_id blob, key text, register blob, primary key(zone, zone_id, key));
create table if not exists message(id blob primary key, text text);
create table if not exists run(id integer primary key, discriminator int, at real, boot text);
create table if not exists usage(id blob primary key, record blob);
"""


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _epoch() -> bytes:
    return (secrets.randbits(64) or 1).to_bytes(8, "big")


def key_id(key: bytes) -> bytes:
    """Name a pairwise key."""
    return hashlib.sha256(b"latchkey pairwise key id v1" + key).digest()[:8]


class QueueFull(Exception):
    """A stream's cap is reached; nothing was kept."""


@dataclass(frozen=True)
class Peer:
    """A paired device and the keys to try with it: that of a pairing which is not final yet first."""

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


class Store:
    """The state of one peer in one folder; one process at a time."""

    def __init__(self, folder: Path, name: str | None = None):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = open(folder / "lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(f"The folder {folder} is in use: wait for the other process, then start again.") from None
        os.close(os.open(folder / "peer.db", os.O_CREAT, 0o600))
        self._db = sqlite3.connect(folder / "peer.db", isolation_level=None)
        self._db.executescript("pragma journal_mode=wal; pragma synchronous=full;" + _SCHEMA)
        with self.transaction():
            if self.one("select 1 from device") is None:
                self.run(
                    "insert into device values(?,?,?,null)", os.urandom(32), os.urandom(32), name or "Python peer"
                )
            if name is not None:
                self.run("update device set name=?", name)
            self._roll_back()
        seed, link_secret, self.name = self.one("select seed, link_secret, name from device")
        self.keys = Keys(seed, link_secret)

    @contextmanager
    def transaction(self):
        """Make all that happens inside durable as a whole, or nothing of it."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    def run(self, sql: str, *values):
        return self._db.execute(sql, values)

    def one(self, sql: str, *values):
        return self._db.execute(sql, values).fetchone()

    def all(self, sql: str, *values):
        return self._db.execute(sql, values).fetchall()

    # Peers

    def _roll_back(self) -> None:
        """Undo pending pairings that are too old; those of an earlier start of the machine count anew."""
        self.run("update peer set pending_boot=?1, pending_at=?2 where pending_boot<>?1", _boot(), now())
        self._undo_pending("pending_at<?", now() - PENDING_SECONDS)

    def _undo_pending(self, which: str, *values) -> None:
        self.run(f"delete from peer where state='pending' and {which}", *values)
        self.run(
            "update peer set pending_key=null, pending_at=null, pending_boot=null, pending_discovery_key=null "
            f"where {which}",
            *values,
        )

    def keep_pending(self, peer, identity_key, link_key, name, key, discovery_key) -> None:
        """Keep the inviter as pending; what was in force for it stays in force."""
        with self.transaction():
            self._undo_pending("id<>?", peer)
            self.run(
                "insert or ignore into peer(id, identity_key, link_key, name, state) values(?,?,?,?,'pending')",
                *(peer, identity_key, link_key, name),
            )
            self.run(
                "update peer set name=?, pending_key=?, pending_at=?, pending_boot=?, pending_discovery_key=? "
                "where id=?",
                *(name, key, now(), _boot(), discovery_key, peer),
            )

    def discard_pending(self, peer: bytes) -> None:
        """Undo a pending pairing at once."""
        with self.transaction():
            self._undo_pending("id=?", peer)

    def promote(self, peer: bytes) -> bool:
        """Make a pending pairing final; tell whether there still was one."""
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
            "pending_discovery_key=null, previous_key=null where id=?",
            peer,
        )
        return True

    def rotate(self, peer: bytes, rotation) -> None:
        """Take new keys from the parent; within a transaction."""
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
        """Return the devices that a session may be opened with, the one paired last first."""
        with self.transaction():
            self._roll_back()
            rows = self.all(
                "select id, identity_key, link_key, name, pending_key, key, previous_key, last, given from peer "
                "where state='active' or pending_key is not null order by rowid desc"
            )
        return [Peer(*row[:7], tuple(filter(None, row[7:]))) for row in rows]

    @property
    def discovery_keys(self) -> list[bytes]:
        """The household's key, and that of a pairing which is not final yet."""
        rows = self.all(
            "select pending_discovery_key from peer where pending_discovery_key is not null "
            "union select discovery_key from device where discovery_key is not null"
        )
        return [row[0] for row in rows]

    def remember(self, peer: bytes, last: str | None = None, given: str | None = None) -> None:
        """Keep the address at which a session was authenticated, or one that a person gave."""
        with self.transaction():
            self.run("update peer set last=coalesce(?, last), given=coalesce(?, given) where id=?", last, given, peer)

    def remove(self, peer: bytes) -> None:
        """Take a removal by the peer; within a transaction."""
        self._give_up_streams(peer)
        self.run("update peer set state='removed', key=null, pending_key=null, previous_key=null where id=?", peer)

    def _give_up_streams(self, peer: bytes) -> None:
        for table in ("outgoing", "item", "incoming"):
            self.run(f"delete from {table} where peer=?", peer)

    # Guesses at typed codes

    def may_guess(self, discriminator: int) -> bool:
        """Tell whether a typed code with this discriminator may be tried; an earlier boot's runs count as well."""
        recent = "(boot=?1 and at>?2) or (boot<>?1 and ?3<?4)"
        values = (_boot(), now() - GUESS_SECONDS, now(), GUESS_SECONDS)
        count = self.one(f"select count(*) from run where discriminator=?5 and ({recent})", *values, discriminator)[0]
        return count < GUESSES

    def count_run(self, discriminator: int) -> int:
        """Count a run, which may let the other side test a guess; return its number."""
        with self.transaction():
            return self.run(
                "insert into run(discriminator, at, boot) values(?,?,?)", discriminator, now(), _boot()
            ).lastrowid

    def take_back_run(self, run: int) -> None:
        """Forget a run: the other side knows the code."""
        with self.transaction():
            self.run("delete from run where id=?", run)

    # Streams

    def enqueue(self, peer: bytes, class_: int, kind: int, id_: bytes, body: bytes) -> None:
        """Give an item the next number of its stream; within a transaction, which fails over the caps."""
        self.run("insert or ignore into outgoing values(?,?,?,0,0)", peer, class_, _epoch())
        items, size = self.one(
            "select count(*), coalesce(sum(length(body) + length(id) + 16), 0) from item where peer=? and class=?",
            peer,
            class_,
        )
        if items >= QUEUE_ITEMS or size >= QUEUE_BYTES:
            raise QueueFull("Too much waits for the other machine: let the two meet, then try again.")
        self.run("update outgoing set last=last+1 where peer=? and class=?", peer, class_)
        self.run(
            "insert into item select peer, class, last, ?, ?, ? from outgoing where peer=? and class=?",
            *(kind, id_, body, peer, class_),
        )

    def stored(self, peer: bytes, class_: int, through: int) -> None:
        """Forget what the peer has stored."""
        with self.transaction():
            self.run("delete from item where peer=? and class=? and number<=?", peer, class_, through)
            self.run("update outgoing set stored=? where peer=? and class=?", through, peer, class_)

    def restart(self, peer: bytes, class_: int) -> None:
        """Give what is left of a stream a new epoch and numbers from 1."""
        with self.transaction():
            rows = self.all("select number from item where peer=? and class=? order by number", peer, class_)
            for number, (old,) in enumerate(rows, 1):
                self.run("update item set number=? where peer=? and class=? and number=?", number, peer, class_, old)
            self.run(
                "update outgoing set epoch=?, last=?, stored=0 where peer=? and class=?",
                *(_epoch(), len(rows), peer, class_),
            )

    def waiting(self, peer: bytes) -> int:
        """Return how many items the peer has not stored."""
        return self.one("select count(*) from item where peer=?", peer)[0]

    def outgoing(self, peer: bytes) -> dict[int, tuple[int, int, int]]:
        """Return epoch, last number and what is stored of each stream to the peer, by class."""
        rows = self.all("select class, epoch, last, stored from outgoing where peer=? order by class", peer)
        return {class_: (int.from_bytes(epoch, "big"), last, stored) for class_, epoch, last, stored in rows}

    def incoming(self, peer: bytes) -> dict[int, tuple[int, int]]:
        """Return epoch and watermark of each stream from the peer, by class."""
        rows = self.all("select class, epoch, watermark from incoming where peer=? order by class", peer)
        return {class_: (int.from_bytes(epoch, "big"), watermark) for class_, epoch, watermark in rows}

    def raise_watermark(self, peer: bytes, class_: int, epoch: int, watermark: int) -> None:
        """Keep how far a stream from the peer is in force; within a transaction."""
        row = (peer, class_, epoch.to_bytes(8, "big"), watermark)
        self.run("insert or replace into incoming values(?,?,?,?)", *row)

    def items(self, peer: bytes, class_: int, after: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
        """Return number, kind, ID and body of the next items of a stream."""
        return self.all(
            "select number, kind, id, body from item where peer=? and class=? and number>? order by number limit ?",
            *(peer, class_, after, limit),
        )
