"""The content of a state folder while no node runs on it."""
import dataclasses
import pathlib
import shutil
import sqlite3
import tempfile
import uuid


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The data of a child's machine at one moment."""

    # The IDs of the commands that it had answered.
    applied: frozenset[str] = frozenset()
    # The applications of its records, and of its open sessions.
    recorded: frozenset[str] = frozenset()
    open_sessions: frozenset[str] = frozenset()


def open_copy(folder: pathlib.Path, place: pathlib.Path) -> sqlite3.Connection:
    """Opens a copy of the database in a state folder, so that reading leaves no trace there."""
    place.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("latchkey.sqlite*"):
        shutil.copy(path, place / path.name)
    return sqlite3.connect(f"file:{place / 'latchkey.sqlite'}?mode=ro", uri=True)


def uuid_text(data: bytes) -> str:
    """Returns the text of an ID as the local API writes it."""
    return str(uuid.UUID(bytes=bytes(data)))


def take(folder: pathlib.Path) -> Snapshot:
    """Returns the content of a child's state folder."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        database = open_copy(folder, pathlib.Path(place))
        try:
            return Snapshot(
                frozenset(uuid_text(row[0]) for row in database.execute("SELECT command_id FROM applied_command")),
                frozenset(row[0] for row in database.execute("SELECT app_id FROM usage_record")),
                frozenset(row[0] for row in database.execute("SELECT app_id FROM open_session")))
        finally:
            database.close()
