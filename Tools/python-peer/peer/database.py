"""One SQLite file and its tables; a transaction is durable when it ends.

Spec: Protocol/05-delivery.md section 6
"""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

_SCHEMA = """
create table if not exists device(seed blob, link_secret blob, name text, discovery_key blob, role int);
create table if not exists peer(
  id blob primary key, identity_key blob, link_key blob, name text, state text, key blob, given text, last text,
  pending_key blob, pending_at real, pending_boot text, pending_discovery_key blob, previous_key blob,
  generation int default 0, role int, paired_at int, refused int default 0);
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
create table if not exists record(
  device blob, id blob, child blob, start int, record blob, primary key(device, id, start));
create table if not exists carry(
  child blob, app text, category int, day text, rest int, primary key(child, app, category, day));
create table if not exists fact(child blob, kind text, identity text, text text, primary key(child, kind, identity));
create table if not exists holder(peer blob, child blob, primary key(peer, child));
create table if not exists command(
  id blob primary key, machine blob, kind text, payload blob, status text, reason text, state text, answer blob);
create table if not exists told(machine blob, zone int, zone_id blob, key text, register blob,
  primary key(machine, zone, zone_id, key));
create table if not exists inventory(
  machine blob, kind text, part int, number text, at real, teller blob, body blob, primary key(machine, kind, part));
create table if not exists refused(peer blob, kind int, id blob, reason int);
create table if not exists clock(boot text, at int, time int, day_time int, latest int);
create table if not exists reached(zone text, day text);
create table if not exists hybrid(wall int, counter int);
create table if not exists there(uid int primary key, child blob, boot text, logins text);
create table if not exists named_at(uid int primary key, at int, boot text);
create table if not exists wrong_pin(child blob primary key, count int, at int, boot text);
"""


class Database:
    """The file of one folder, for one process at a time and one of its threads at a time."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = open(folder / "lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(f"The folder {folder} is in use: wait for the other process, then start again.") from None
        os.close(os.open(folder / "peer.db", os.O_CREAT, 0o600))
        self.lock, self._depth = threading.RLock(), 0
        self.changed: Callable[[], None] = lambda: None  # called after each transaction
        self._db = sqlite3.connect(folder / "peer.db", isolation_level=None, check_same_thread=False)
        self._db.executescript("pragma journal_mode=wal; pragma synchronous=full;" + _SCHEMA)

    @contextmanager
    def transaction(self):
        """Make the changes inside durable as a whole, or none of them.

        A transaction inside another one belongs to it.
        """
        with self.lock:
            if self._depth:
                yield
                return
            self._db.execute("begin immediate")
            self._depth = 1
            try:
                yield
            except BaseException:
                self._db.execute("rollback")
                raise
            finally:
                self._depth = 0
            self._db.execute("commit")
        self.changed()

    def run(self, sql: str, *values):
        with self.lock:
            return self._db.execute(sql, values)

    def one(self, sql: str, *values):
        with self.lock:
            return self._db.execute(sql, values).fetchone()

    def all(self, sql: str, *values):
        with self.lock:
            return self._db.execute(sql, values).fetchall()

    def close(self) -> None:
        """Let another process use the folder."""
        with self.lock:
            self._db.close()
            self._lock.close()
