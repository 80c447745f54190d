"""The streams of one session: resume, windows, gathering, commit, stored.

Spec: Protocol/05-delivery.md
"""

import os
from collections import deque
from collections.abc import Callable

from . import schema
from .faults import BrokenRule, Refused, may_crash
from .identity import verifies
from .store import Peer, Store

CONTROL, COMMAND, RECEIPT, USAGE = 1, 2, 3, 4
CLASSES = {CONTROL: "control", COMMAND: "command", RECEIPT: "receipt", USAGE: "usage"}
WINDOW_ITEMS, WINDOW_BYTES = 4_096, 4_194_304
_BATCH_BYTES, _TURN_ITEMS = 60_000, 512
_SKIP, _REMOVAL, _ROTATION, _REFUSAL = 0, 4, 5, 7
_MOST_WAITING = 16


class Delivery:
    """The state of the streams between this device and a peer in one session."""

    def __init__(self, store: Store, peer: Peer, machine, say: Callable[..., None]):
        """Create the state; `machine` is the Child or the Parent that receives items."""
        self._store, self._peer, self._machine, self._say = store, peer, machine, say
        self._sent: dict[int, int] = {}  # class: the last number sent in this session
        self._under_way: dict[int, deque[tuple[int, int]]] = {}  # class: number and size of items that are not stored
        self._window = (0, 0)
        self._epochs: dict[int, int] = {}  # class: the epoch of the stream from the peer
        self._received: dict[int, int] = {}  # class: the last number received
        self._due: set[int] = set()  # classes of which a position is owed to the peer
        for class_, (epoch, watermark) in store.incoming(peer.id).items():
            self._epochs[class_], self._received[class_] = epoch, watermark
        self.commands = 0  # the number of commands that this session has answered
        self.removed = self.greeted = False
        self._promised: dict[int, int] = {}  # class: the last of our numbers that the peer has

    # Sending

    @property
    def is_level(self) -> bool:
        """Whether both sides have stored everything from the start of the session, and all of our
        later items.
        """
        behind = any(self._received.get(class_, 0) < through for class_, through in self._promised.items())
        return self.greeted and not behind and not self._store.waiting(self._peer.id)

    def state_positions(self, hello) -> None:
        """Write into our Hello what this side holds."""
        for class_, (epoch, last, _) in self._store.outgoing(self._peer.id).items():
            hello.outgoing.add(stream_class=class_, epoch=epoch, through=last)
        for class_, (epoch, watermark) in self._store.incoming(self._peer.id).items():
            hello.incoming.add(stream_class=class_, epoch=epoch, through=watermark)

    def greet(self, hello) -> None:
        """Handle the peer's Hello: agree on where each stream continues."""
        for positions in (hello.outgoing, hello.incoming, hello.held):
            classes = [position.stream_class for position in positions]
            if len(classes) > 16 or len(set(classes)) < len(classes) or not set(classes) <= CLASSES.keys():
                raise BrokenRule("a Hello with positions that are not allowed")
        for position in hello.outgoing:
            if position.epoch and position.epoch != self._epochs.get(position.stream_class):
                self._begin(position.stream_class, position.epoch)
        self.greeted = True
        self._promised = {position.stream_class: position.through for position in hello.outgoing}
        self._window = (hello.window_items, hello.window_bytes)
        self._stated = {position.stream_class: (position.epoch, position.through) for position in hello.incoming}
        for class_ in self._store.outgoing(self._peer.id):
            self._resume(class_)

    def _resume(self, class_: int) -> None:
        epoch, last, stored = self._store.outgoing(self._peer.id)[class_]
        stated, through = self._stated.get(class_, (0, 0))
        if stated == epoch and stored <= through <= last:
            self._store.stored(self._peer.id, class_, through)
            self._sent[class_] = through
        elif stated != epoch and stored == 0:
            self._sent[class_] = 0
        else:
            self._store.restart(self._peer.id, class_)
            self._sent[class_] = 0
            if class_ == CONTROL:
                with self._store.transaction():
                    self._machine.repeat(self._peer.id)
        self._under_way[class_] = deque()

    def next_batch(self):
        """Return a batch with what may be sent now, or None."""
        batch = schema.Batch()
        for class_ in sorted(self._due):
            watermark = self._store.incoming(self._peer.id).get(class_, (0, 0))[1]
            batch.stored.add(stream_class=class_, epoch=self._epochs[class_], through=watermark)
        self._due.clear()
        size = 0
        for class_, (epoch, last, _) in self._store.outgoing(self._peer.id).items():
            if class_ not in self._sent:  # the stream began after the Hellos, where none was stated
                self._sent[class_], self._under_way[class_] = 0, deque()
            under_way, run = self._under_way[class_], None
            for number, kind, id_, body in self._store.items(self._peer.id, class_, self._sent[class_], _TURN_ITEMS):
                full = len(under_way) >= self._window[0] or sum(s for _, s in under_way) >= self._window[1]
                if full or (size and size + len(body) + 64 > _BATCH_BYTES):
                    break
                if run is None or run.first + len(run.items) != number:
                    run = batch.runs.add(stream_class=class_, epoch=epoch, first=number)
                run.items.add(kind=kind, id=id_, body=body)
                size += len(body) + 64
                under_way.append((number, len(body) + len(id_) + 16))
                self._sent[class_] = number
        return batch if batch.runs or batch.stored else None

    def stored(self, position) -> None:
        """Handle the peer's report that it holds our items up to a number."""
        class_ = position.stream_class
        if class_ not in CLASSES:
            raise BrokenRule("a position of an unknown class")
        epoch, last, stored = self._store.outgoing(self._peer.id).get(class_, (0, 0, 0))
        if position.epoch != epoch or epoch == 0 or position.through <= stored:
            return
        if position.through > last:
            raise BrokenRule("stored beyond the last number given out")
        self._store.stored(self._peer.id, class_, position.through)
        self._sent[class_] = max(self._sent.get(class_, 0), position.through)
        under_way = self._under_way.setdefault(class_, deque())
        while under_way and under_way[0][0] <= position.through:
            under_way.popleft()
        self._say("stored", **{"class": CLASSES[class_], "through": position.through})

    # Receiving

    def _begin(self, class_: int, epoch: int) -> None:
        self._epochs[class_], self._received[class_] = epoch, 0
        self._promised.pop(class_, None)  # items of another epoch do not come

    def take(self, runs) -> None:
        """Commit the items of a batch in one transaction; `next_batch` then reports them."""
        gathered: dict[int, list[tuple[int, object]]] = {}
        for run in runs:
            self._gather(run, gathered)
        if not gathered:
            return
        may_crash("received")
        events: list[dict] = []
        with self._store.transaction():
            held = self._store.incoming(self._peer.id)
            for class_ in sorted(gathered):
                epoch, watermark = held.get(class_, (0, 0))
                begins_anew = epoch != self._epochs[class_] and watermark > 0
                if epoch != self._epochs[class_]:
                    watermark = 0
                for number, item in gathered[class_]:
                    if number > watermark:
                        events += self._effect(class_, item)
                        watermark = number
                if not self.removed:
                    self._store.raise_watermark(self._peer.id, class_, self._epochs[class_], watermark)
                    if begins_anew and class_ == CONTROL:  # it may have lost facts that it made
                        self._machine.household.send_all_facts(self._peer.id)
        may_crash("committed")
        self._due |= gathered.keys()
        for event in events:
            self.commands += event["event"] == "command"
            self._say(**event)

    def _gather(self, run, gathered: dict[int, list]) -> None:
        class_, number = run.stream_class, run.first
        if class_ not in CLASSES or run.epoch == 0 or number == 0:
            raise BrokenRule("a run without a class, an epoch or a number")
        if run.epoch != self._epochs.get(class_):
            if number != 1:
                raise BrokenRule("a run of a foreign epoch that does not begin with 1")
            self._begin(class_, run.epoch)
        taken = False
        for item in run.items:
            skip = item.kind == _SKIP
            if len(item.id) != (0 if skip else 16) or len(item.body) > (0 if skip else 32_768):
                raise BrokenRule("an item of a size that is not allowed")
            end = number + max(item.count, 1) - 1 if skip else number
            if end >= 2**64 - 1:
                raise BrokenRule("a number that is too great")
            next_ = self._received.setdefault(class_, 0) + 1
            if number > next_:
                raise BrokenRule("a gap in a stream")
            if end >= next_:
                self._check(class_, item)
                gathered.setdefault(class_, []).append((end, item))
                if len(gathered[class_]) > WINDOW_ITEMS:
                    raise BrokenRule("more than the window allows")
                self._received[class_] = end
                taken = True
            number = end + 1
        if run.items and not taken:
            self._due.add(class_)

    def _check(self, class_: int, item) -> None:
        """Refuse a removal that the peer has not signed, and keys that are malformed."""
        if class_ == CONTROL and item.kind == _ROTATION:
            rotation = schema.parse(schema.KeyRotation, item.body)
            sizes = len(rotation.discovery_key), len(rotation.pairwise_key), len(rotation.replaces)
            if sizes != (32, 32, 8) or not 1 <= rotation.generation < 2**63:
                raise BrokenRule("new keys that cannot be read")
        if class_ == CONTROL and item.kind == _REMOVAL:
            text = b"latchkey removal v1" + self._peer.id + self._store.keys.device
            signature = schema.parse(schema.Removal, item.body).signature
            if not verifies(self._peer.identity_key, text, signature):
                raise BrokenRule("a removal that does not verify")

    def _effect(self, class_: int, item) -> list[dict]:
        """Bring an item into force, within the transaction; return a description."""
        if item.kind == _SKIP:
            return []
        if class_ == CONTROL and item.kind == _REMOVAL:
            self._store.remove(self._peer.id)
            self.removed = True
            return [{"event": "removed", "by": self._peer.name}]
        if class_ == CONTROL and item.kind == _ROTATION:
            rotation = schema.parse(schema.KeyRotation, item.body)
            self._store.rotate(self._peer.id, rotation)
            return [{"event": "keys", "generation": rotation.generation}]
        if class_ == CONTROL and item.kind == _REFUSAL:
            return self._refused(item)
        try:
            return self._machine.take(self._peer.id, class_, item)
        except Refused as refused:
            self._refuse(class_, item, refused.reason)
            told = {"class": CLASSES[class_], "kind": item.kind, "reason": refused.reason}
            return [*refused.events, {"event": "passed-over", **told}]

    def _refuse(self, class_: int, item, reason: int) -> None:
        """Report a refused item to the peer, unless it is a command or many refusals are pending.
        """
        peer = self._peer.id
        self._store.run("update peer set refused=refused+1 where id=?", peer)
        total = self._store.one("select refused from peer where id=?", peer)[0]
        waiting = self._store.one("select count(*) from item where peer=? and kind=?", peer, _REFUSAL)[0]
        if waiting < _MOST_WAITING:
            told = schema.Refusal(total=total)
            told.items.add(stream_class=class_, kind=item.kind, id=item.id, reason=reason)
            self._store.enqueue(peer, CONTROL, _REFUSAL, os.urandom(16), told.SerializeToString())

    def _refused(self, item) -> list[dict]:
        """Store which of our items the peer has refused; ignore a malformed refusal."""
        try:
            told = schema.parse(schema.Refusal, item.body)
        except BrokenRule:
            return []
        for refused in told.items:
            self._store.run("insert into refused values(?,?,?,?)",
                            self._peer.id, refused.kind, refused.id, refused.reason)  # fmt: skip
        return [{"event": "refused", "kind": refused.kind, "reason": refused.reason} for refused in told.items]
