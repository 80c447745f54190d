"""A connection: the preamble, then frames.

Spec: Protocol/04-session.md section 1
"""

import select
import socket
import time

from .faults import BrokenRule, Lost, Silent

PAIRING, SESSION, PAIRING_TYPED = 1, 2, 3
STRANGER_BYTES = 4_096
STRANGER_SECONDS = 10.0


def now() -> float:
    """Return seconds on a clock that counts through sleep and never jumps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def preamble(purpose: int, discriminator: int = 0) -> bytes:
    """Return the six bytes that begin a connection."""
    return b"LK\x01" + bytes([purpose]) + discriminator.to_bytes(2, "big")


def dial(address: tuple[str, int], beginning: bytes, timeout: float = 5.0) -> "Connection":
    """Open a connection and send its preamble; raise Lost if there is no answer."""
    try:
        connected = socket.create_connection(address, timeout)
    except OSError as error:
        raise Lost(f"no connection to {address[0]}:{address[1]}: {error}") from error
    connection = Connection(connected)
    connection._write(beginning)
    return connection


class Connection:
    """A connection that carries frames, within a stranger's limits until it is proven."""

    def __init__(self, connected: socket.socket):
        self._socket = connected
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""
        self._received = 0
        self._stranger_until: float | None = now() + STRANGER_SECONDS

    def beginning(self) -> bytes:
        """Return the preamble of a connection that was accepted."""
        while len(self._buffer) < 6:
            self._fill(self._stranger_until, None)
        beginning, self._buffer = self._buffer[:6], self._buffer[6:]
        return beginning

    def prove(self) -> None:
        """Lift the stranger's limits, since the other side is authenticated."""
        self._stranger_until = None

    def send(self, body: bytes) -> None:
        """Send one frame of 1 to 65,535 bytes."""
        self._write(len(body).to_bytes(2, "big") + body)

    def _write(self, data: bytes) -> None:
        try:
            self._socket.settimeout(60)
            self._socket.sendall(data)
        except OSError as error:
            raise Lost(f"the connection broke: {error}") from error

    def receive(self, deadline: float, also=None) -> bytes | None:
        """Return the next frame's body; None if `also` (a file) became readable first.

        Raises Lost at the deadline (of `now`), at the end of the connection, or over the stranger's
        limits, and BrokenRule for an invalid frame.
        """
        if self._stranger_until is not None:
            deadline = min(deadline, self._stranger_until)
        while True:
            if len(self._buffer) >= 2:
                length = int.from_bytes(self._buffer[:2], "big")
                if length == 0 or (self._stranger_until is not None and length > STRANGER_BYTES - 2):
                    raise BrokenRule("a frame of a length that is not allowed")
                if len(self._buffer) >= 2 + length:
                    body, self._buffer = self._buffer[2 : 2 + length], self._buffer[2 + length :]
                    return body
            if not self._fill(deadline, also):
                return None

    def _fill(self, deadline: float, also) -> bool:
        """Wait for bytes; return False when `also` became readable first."""
        wanted = [self._socket] + ([also] if also else [])
        ready, _, _ = select.select(wanted, [], [], max(0.0, deadline - now()))
        if not ready:
            raise Silent("the other machine is silent")
        if also in ready:
            return False
        try:
            data = self._socket.recv(65_537)
        except OSError as error:
            raise Lost(f"the connection broke: {error}") from error
        if not data:
            raise Lost("the other machine closed the connection")
        self._received += len(data)
        if self._stranger_until is not None and self._received > STRANGER_BYTES:
            raise Lost("the other machine sent too much before it was proven")
        self._buffer += data
        return True

    def close(self) -> None:
        """Close the connection, after up to two seconds in which sent frames can be received."""
        try:
            self._socket.shutdown(socket.SHUT_WR)
            end = now() + 2
            while now() < end:  # closing with unread bytes would reset the connection, and lose our last frames
                self._socket.settimeout(max(0.01, end - now()))
                if not self._socket.recv(65_537):
                    break
        except OSError:
            pass
        self._socket.close()
