"""Households of real nodes and of this peer, in temporary folders and on loopback."""

import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .node import Node

_PATIENCE = 60.0
_WITH_US = "setpriv", "--pdeathsig", "KILL"  # started processes end with this one, whatever the reason


class Failed(Exception):
    """A scenario did not go as the specification says."""


def eventually(what: str, holds: Callable, patience: float = _PATIENCE):
    """Return the first true value of `holds`; raise Failed if there is none for a long time."""
    end = time.monotonic() + patience
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"waited in vain until {what}")
        time.sleep(0.05)


def equal(got, wanted, what: str) -> None:
    """Raise Failed unless two values are the same."""
    if got != wanted:
        raise Failed(f"{what}: got {got!r}, expected {wanted!r}")


class RealNode:
    """A node of the first implementation."""

    def __init__(self, lab: "Lab", role: str, name: str):
        self._lab, self.name = lab, name
        self._folder = lab.folder / name.replace(" ", "-").replace("'", "")
        self.port = free_port()
        self._process: subprocess.Popen | None = None
        self("init", "--role", role, "--name", name)
        self.start()

    def start(self, *more: str) -> None:
        """Run the node and wait until it answers."""
        log = open(f"{self._folder}.log", "ab")
        command = [*self._command("run"), "--no-discovery", "--port", str(self.port), *more]
        self._process = subprocess.Popen([*_WITH_US, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        eventually(f"{self.name} answers", lambda: self.try_("status") is not None)

    def end(self, how: int = signal.SIGTERM) -> None:
        """End the process that `start` began."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def _command(self, *arguments: str) -> list[str]:
        at = arguments.index("--") if "--" in arguments else len(arguments)
        return [self._lab.latchkey, *arguments[:at], "--state-dir", str(self._folder), *arguments[at:]]

    def try_(self, *arguments: str, given: str | None = None) -> str | None:
        """Run a command to its end; return its output, or None if it fails."""
        done = subprocess.run(self._command(*arguments), input=given, capture_output=True, text=True, timeout=60)
        self.last = done.stdout + done.stderr
        return done.stdout if done.returncode == 0 else None

    def __call__(self, *arguments: str, given: str | None = None) -> str:
        out = self.try_(*arguments, given=given)
        if out is None:
            raise Failed(f"{self.name}: latchkey {' '.join(arguments)}: {self.last.strip()}")
        return out

    def json(self, *arguments: str):
        """Run a command and return what it writes as JSON."""
        return json.loads(self(*arguments, "--format", "json"))

    def background(self, *arguments: str) -> subprocess.Popen:
        """Start a command that runs until it is ended."""
        process = subprocess.Popen([*_WITH_US, *self._command(*arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        self._lab.helpers.append(process)
        return process

    def code(self, for_: str | None = None) -> str:
        """Open a code that accepts every joiner; return the pasted form."""
        command = [*self._command("pair", "invite", "--json", "--yes"), *(["--for", for_] if for_ else [])]
        process = subprocess.Popen([*_WITH_US, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        self._lab.helpers.append(process)
        return json.loads(process.stdout.readline())["code"]

    def join(self, code: str, port: int) -> None:
        """Join with a code."""
        self("pair", "join", "--code-stdin", "--yes", "--peer", f"127.0.0.1:{port}", given=code + "\n")


def free_port() -> int:
    """Return a free TCP port on loopback, outside the range from which the kernel assigns ports."""
    least = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(min(20_000, least - 1_000), least)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            continue


class Lab:
    """A folder with machines that end with it."""

    def __init__(self, latchkey: str):
        self.latchkey = latchkey
        self._folder = tempfile.TemporaryDirectory(prefix="latchkey-python-")
        self.folder = Path(self._folder.name)
        self.nodes: list[RealNode] = []
        self.peers: list[Node] = []
        self.helpers: list[subprocess.Popen] = []
        self.events: list[dict] = []

    def node(self, role: str, name: str) -> RealNode:
        """Start a real node."""
        node = RealNode(self, role, name)
        self.nodes.append(node)
        return node

    def peer(self, role: int, name: str) -> Node:
        """Start this peer."""

        def say(event: str, **fields) -> None:
            self.events.append({"who": name, "event": event, **fields})

        peer = Node(self.folder / f"peer-{name}".replace(" ", "-").replace("'", ""), role, name, say)
        self.peers.append(peer)
        return peer

    def told(self, who: str, event: str, **fields) -> list[dict]:
        """Return a peer's messages of one kind."""
        wanted = {"who": who, "event": event, **fields}
        return [told for told in self.events if wanted.items() <= told.items()]

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, kind, error, trace) -> None:
        for peer in self.peers:
            peer.stop()
        for helper in self.helpers:
            helper.kill()
            helper.wait()
        for node in self.nodes:
            node.end()
        if error is not None:
            for node in self.nodes:
                log = Path(f"{node._folder}.log").read_text().splitlines()[-12:]
                print(f"--- {node.name}:", *log, sep="\n", file=sys.stderr)
            print("--- the peer:", *map(json.dumps, self.events[-25:]), sep="\n", file=sys.stderr)
        self._folder.cleanup()
