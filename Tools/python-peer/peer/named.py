"""An account of this machine: whose it is, and which of several children is there.

Spec: Protocol/10-household.md section 3
"""

import pwd
from pathlib import Path

from . import registers, shared
from .faults import NotNamed
from .frames import now
from .household import Household
from .store import boot

_PAUSE = 10_000  # milliseconds between a change and the next naming
_SESSIONS = Path("/run/systemd/sessions")


def logins(uid: int) -> set[str]:
    """Return the log-in sessions of an account, without those that are closing; none where nothing
    keeps log-in sessions.
    """
    found = set()
    for path in filter(Path.is_file, _SESSIONS.glob("*")):  # some are pipes
        try:
            told = dict(line.partition("=")[::2] for line in path.read_text().splitlines())
        except OSError:
            continue  # it has just ended
        if told.get("UID") == str(uid) and told.get("STATE") != "closing":
            found.add(path.name)
    return found


def _login(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


class Account:
    """The state of one account; what changes it needs a transaction, unless it says otherwise."""

    def __init__(self, household: Household, uid: int):
        self._household, self._store, self.uid = household, household.store, uid

    # Whose it is

    def _owners(self) -> list[bytes] | None:
        """Return to whom parents have assigned the account; None if it is not assigned."""
        held, keys, found = self._household.registers(), (f"account/{self.uid}", f"accountName/{_login(self.uid)}"), []
        places = [(registers.MACHINE, self._household.own, key) for key in keys]
        for register in (held[place] for place in places if place in held):
            try:
                told = shared.owners(register.value) if register.HasField("value") else None
            except ValueError:
                continue  # not in force
            found.append((registers.time(register.modified), told))
        return max(found, key=lambda told: told[0])[1] if found else None

    def owners(self) -> list[bytes]:
        """Return the children to whom the account belongs, in the order of their IDs; several share
        it.
        """
        owners, children = self._owners(), self._household.children()
        if owners is None:
            return children if len(children) == 1 else []
        return [child for child in owners if child in children]

    @property
    def is_shared(self) -> bool:
        return len(self.owners()) > 1

    # Who is there

    def there(self) -> bytes | None:
        """Return the child who is there in a shared account; None if nobody is."""
        row = self._store.one("select child, boot, logins from there where uid=?", self.uid)
        if row is None or row[1] != boot() or not self.is_shared or row[0] not in self.owners():
            return None
        return row[0] if set(row[2].split()) <= logins(self.uid) else None

    def users(self) -> list[bytes]:
        """Return the children for whom use counts: the one who is there, or each of them."""
        there = self.there()
        return self.owners() if there is None else [there]

    def look(self) -> None:
        """Forget for good who is there no more, and wrong PINs of children who are not this
        machine's.
        """
        if self.there() is None:
            self.leave()
        for (child,) in self._store.all("select child from wrong_pin"):
            if child not in self._household.children():
                self._store.run("delete from wrong_pin where child=?", child)

    def leave(self) -> None:
        """Keep that nobody is there."""
        if self._store.run("delete from there where uid=?", self.uid).rowcount:
            self._changes()

    def _changes(self) -> None:
        self._store.run("insert or replace into named_at values(?,?,?)", self.uid, _clock(), boot())

    def name(self, child: bytes) -> None:
        """Keep that a child is there, whose PIN was right."""
        self._require(child)
        self._store.run("delete from wrong_pin where child=?", child)
        sessions = " ".join(sorted(logins(self.uid)))
        self._store.run("insert or replace into there values(?,?,?,?)", self.uid, child, boot(), sessions)
        self._changes()

    def check(self, child: bytes, pin: str) -> None:
        """Raise NotNamed unless a PIN is right; not within a transaction.

        It counts as wrong before it is compared, so that requests at the same time gain nothing.
        """
        with self._store.transaction():
            self._require(child)
            text = self.pin(child)
            if text is None:
                raise NotNamed("no-pin")
            if left := max(self._wait(child), self._pause()):
                raise NotNamed("limit", left)
            count = self._wrong(child)[0] + 1
            self._store.run("insert or replace into wrong_pin values(?,?,?,?)", child, count, _clock(), boot())
        if not shared.is_pin(text, pin):
            raise NotNamed("forbidden")

    def _require(self, child: bytes) -> None:
        if not self.is_shared or child not in self.owners():
            raise NotNamed("unknown-child")

    def pin(self, child: bytes) -> str | None:
        """Return what a child's PIN is kept as; None without a PIN."""
        return self._household.rules(child).text("pin")

    def _wrong(self, child: bytes) -> tuple[int, int, str]:
        row = self._store.one("select count, at, boot from wrong_pin where child=?", child)
        return row or (0, 0, boot())

    def _wait(self, child: bytes) -> int:
        count, last, in_boot = self._wrong(child)
        return shared.wait(count, last, _clock(), in_boot == boot())

    def _pause(self) -> int:
        row = self._store.one("select at, boot from named_at where uid=?", self.uid)
        return max(0, row[0] + _PAUSE - _clock()) if row and row[1] == boot() else 0

    def conditions(self) -> list[str]:
        """Return what weakens the rules in the account, for parents.

        Spec: Protocol/10-household.md section 6
        """
        children, found = self.owners() if self.is_shared else [], []
        if any(self.pin(child) is None for child in children):
            found.append(f"pin-missing {self.uid}")
        tried = [self._wrong(child) for child in children]
        if any(count >= shared.MANY and in_boot == boot() for count, _, in_boot in tried):
            found.append(f"pin-tried {self.uid}")
        return found


def _clock() -> int:
    """Return milliseconds of the boot clock."""
    return int(now() * 1_000)
