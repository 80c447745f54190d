"""The numbered streams of items to and from each peer.

Spec: Protocol/05-delivery.md sections 2 to 7
"""

import secrets

from .database import Database

QUEUE_ITEMS, QUEUE_BYTES = 1_000_000, 1 << 30


def _epoch() -> bytes:
    return (secrets.randbits(64) or 1).to_bytes(8, "big")


class QueueFull(Exception):
    """The cap of a stream is reached; nothing was stored."""


class Streams(Database):
    """The items that are pending for peers, and how far received items are in force."""

    def enqueue(self, peer: bytes, class_: int, kind: int, id_: bytes, body: bytes) -> None:
        """Give an item the next number of its stream; within a transaction, which fails over the
        caps.
        """
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
        """Delete what the peer has stored."""
        with self.transaction():
            self.run("delete from item where peer=? and class=? and number<=?", peer, class_, through)
            self.run("update outgoing set stored=? where peer=? and class=?", through, peer, class_)

    def restart(self, peer: bytes, class_: int) -> None:
        """Give the rest of a stream a new epoch and numbers from 1."""
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
        """Return epoch, last number and stored number of each stream to the peer, by class."""
        rows = self.all("select class, epoch, last, stored from outgoing where peer=? order by class", peer)
        return {class_: (int.from_bytes(epoch, "big"), last, stored) for class_, epoch, last, stored in rows}

    def incoming(self, peer: bytes) -> dict[int, tuple[int, int]]:
        """Return epoch and watermark of each stream from the peer, by class."""
        rows = self.all("select class, epoch, watermark from incoming where peer=? order by class", peer)
        return {class_: (int.from_bytes(epoch, "big"), watermark) for class_, epoch, watermark in rows}

    def raise_watermark(self, peer: bytes, class_: int, epoch: int, watermark: int) -> None:
        """Store how far a stream from the peer is in force; within a transaction."""
        row = (peer, class_, epoch.to_bytes(8, "big"), watermark)
        self.run("insert or replace into incoming values(?,?,?,?)", *row)

    def items(self, peer: bytes, class_: int, after: int, limit: int) -> list[tuple[int, int, bytes, bytes]]:
        """Return number, kind, ID and body of the next items of a stream."""
        return self.all(
            "select number, kind, id, body from item where peer=? and class=? and number>? order by number limit ?",
            *(peer, class_, after, limit),
        )
