"""One real node: a process with a state folder, started, killed and started again."""
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time
from typing import Any

import api
import confinement
from ledger import Ledger


def _sockets(folder: str, names: list[str]) -> list[str]:
    """Returns the names that a copy leaves out: sockets, which a node makes again when it starts."""
    return [name for name in names if stat.S_ISSOCK(os.lstat(os.path.join(folder, name)).st_mode)]


# Seconds after which a node that was started must have answered, and one that was told to stop must have ended.
PATIENCE = 40
# The file name of the program of an agent.
AGENT = "latchkey-agent"


class Node:
    """A node of the family.

    Only the main thread may start it: the kernel ends the process together with the thread that started it.
    """

    def __init__(self, binary: pathlib.Path, name: str, role: str, folder: pathlib.Path, logs: pathlib.Path,
                 ledger: Ledger, *arguments: str) -> None:
        self.name = name
        self.role = role
        self.folder = folder
        self.log = logs / f"{name}.log"
        self._binary = binary
        self._arguments = arguments
        self._ledger = ledger
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> pathlib.Path:
        """The path of its database."""
        return self.folder / "latchkey.sqlite"

    @property
    def is_running(self) -> bool:
        """Whether its process runs; one that ended by itself is booked as a fault."""
        if self._process is None:
            return False
        status = self._process.poll()
        if status is None:
            return True
        self._process = None
        self._ledger.found("a node ended by itself", f"{self.name}: exit status {status}: {self.last_words()}")
        return False

    def make(self) -> None:
        """Makes its keys and state folder."""
        subprocess.run([self._binary, "init", "--role", self.role, "--name", self.name, "--state-dir", self.folder],
                       check=True, capture_output=True)

    def launch(self) -> None:
        """Starts its process, and does not wait until it answers."""
        assert self._process is None, self.name
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", self._binary, "run", "--interfaces", "lo", "--state-dir",
                 self.folder, *self._arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", process_group=0)

    def start(self) -> str | None:
        """Starts it and waits until it answers; returns why it does not."""
        if self._process is None:
            self.launch()
        process, deadline = self._process, time.monotonic() + PATIENCE
        assert process is not None
        while time.monotonic() < deadline:
            status = process.poll()
            if status is not None:
                self._process = None
                return f"exit status {status}: {self.last_words()}"
            if self.ask("GET", "/v1/status", timeout=5).fate != api.UNREACHABLE:
                if (excess := confinement.privileges(process.pid)) is not None:
                    raise RuntimeError(f"{self.name} runs with {excess}, which an ordinary user has not")
                return None
            time.sleep(0.01)
        self.kill()
        return f"no answer within {PATIENCE} s: {self.last_words()}"

    def kill(self) -> None:
        """Ends its process with SIGKILL, at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def agent(self) -> int | None:
        """Returns the process ID of an agent on its state folder, or `None` if there is none.

        An agent outlives a node that is killed, and the next node uses it. So it need not be a child of this one's.
        """
        return next(iter(confinement.running_with(AGENT, f"{self.folder}/agent.sock")), None)

    def kill_agent(self, agent: int) -> bool:
        """Ends its agent with SIGKILL, and returns whether that was still running."""
        try:
            handle = os.pidfd_open(agent)
        except ProcessLookupError:
            return False
        try:
            # The handle keeps meaning this process; that it is the agent is checked once it is held.
            if agent not in confinement.running_with(AGENT, f"{self.folder}/agent.sock"):
                return False
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except ProcessLookupError:
            return False
        finally:
            os.close(handle)
        return True

    def end_agents(self) -> None:
        """Ends every agent on its state folder with SIGKILL."""
        while (agent := self.agent()) is not None:
            self.kill_agent(agent)
            time.sleep(0.01)

    def stop(self) -> None:
        """Ends its process with SIGTERM; anything but a clean end is booked as a fault."""
        if not self.is_running or self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(PATIENCE)
            if status != 0:
                self._ledger.found("a node did not stop cleanly", f"{self.name}: exit status {status}: {self.last_words()}")
        except subprocess.TimeoutExpired:
            self._ledger.found("a node did not stop cleanly", f"{self.name}: not within {PATIENCE} s: {self.last_words()}")
            self._process.kill()
            self._process.wait()
        self._process = None

    def ask(self, method: str, path: str, body: Any = None, timeout: float = 10) -> api.Answer:
        """Sends a request to it, and books an answer that blames the node itself."""
        answer = api.ask(self.folder, method, path, body, timeout)
        if answer.status == 500:
            self._ledger.found("a node answered with a fault of its own", f"{self.name}: {method} {path}: {answer.words}")
        return answer

    def track(self, app: str, seconds: float, log: pathlib.Path) -> subprocess.Popen[bytes]:
        """Runs a short real process under `latchkey usage track`."""
        with log.open("wb") as file:
            return subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", self._binary, "usage", "track", "--app", app, "--state-dir",
                 self.folder, "--", "sleep", f"{seconds:.2f}"],
                stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/", process_group=0)

    def copy(self, place: pathlib.Path) -> None:
        """Copies its state folder; nothing may run on it."""
        assert self._process is None, self.name
        shutil.copytree(self.folder, place, ignore=_sockets)

    def put_back(self, place: pathlib.Path) -> None:
        """Replaces its state folder by an earlier copy; nothing may run on it."""
        assert self._process is None, self.name
        shutil.rmtree(self.folder)
        shutil.copytree(place, self.folder)

    def last_words(self) -> str:
        """Returns the end of its log."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 600))
            return file.read().decode(errors="replace").strip().replace("\n", " | ")[-500:]
