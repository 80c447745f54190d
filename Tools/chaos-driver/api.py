"""A client of the local API: HTTP with JSON bodies over a node's Unix socket.

Spec: Protocol/07-local-api.md.
"""
import dataclasses
import http.client
import json
import pathlib
import socket
import urllib.parse
from typing import Any

ACCEPTED, REFUSED, UNKNOWN, UNREACHABLE = "accepted", "refused", "unknown", "not reached"


@dataclasses.dataclass(frozen=True)
class Answer:
    """The result of a request.

    The fate is *accepted* for a success, *refused* for an error, *not reached* if no node accepted
    the connection, and *unknown* if the connection ended before the answer. In the last case, both
    outcomes are possible.
    """

    fate: str
    status: int = 0
    body: Any = None

    @property
    def code(self) -> str:
        """The code of an error, or an empty string."""
        return str(self.body.get("code", "")) if isinstance(self.body, dict) and self.status >= 400 else ""

    @property
    def words(self) -> str:
        """The answer in a few words, for a history."""
        if self.fate in (ACCEPTED, UNREACHABLE):
            return self.fate
        text = self.body.get("message", "") if isinstance(self.body, dict) else str(self.body)
        return f"{self.fate} {self.status} {self.code} {text}".strip()


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: pathlib.Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def ask(folder: pathlib.Path, method: str, path: str, body: Any = None, timeout: float = 10) -> Answer:
    """Sends one request to the node of a state folder and returns the result.

    The caller percent-encodes the path, for which there is `query`. The time-out is in seconds.
    """
    connection = _Connection(folder / "control.sock", timeout)
    try:
        try:
            connection.connect()
        except OSError:
            return Answer(UNREACHABLE)
        try:
            data = None if body is None else json.dumps(body).encode()
            connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            return Answer(UNKNOWN, 0, f"{type(error).__name__} {error}".strip())
    finally:
        connection.close()
    try:
        value = json.loads(text) if text else None
    except ValueError:
        value = text.decode(errors="replace")
    if response.status < 300:
        return Answer(ACCEPTED, response.status, value)
    # The node was ending, or does not know the result: the work may have been done.
    return Answer(UNKNOWN if response.status in (500, 503) else REFUSED, response.status, value)


def query(path: str, **values: object) -> str:
    """Returns a path with a percent-encoded query."""
    return path + "?" + urllib.parse.urlencode({name: str(value) for name, value in values.items()},
                                                quote_via=urllib.parse.quote)
