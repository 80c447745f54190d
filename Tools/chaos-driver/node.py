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
    """Returns the names of sockets, which a copy leaves out since a node creates them at its start.
    """
    return [name for name in names if stat.S_ISSOCK(os.lstat(os.path.join(folder, name)).st_mode)]


# The seconds within which a started node must answer, and a stopped one must end.
PATIENCE = 40
# The file name of the program of an agent.
AGENT = "latchkey-agent"


class Node:
    """A node of the family.

    Only the main thread may start it, since the kernel ends the process together with the thread
    that started it.
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
        """Returns whether its process runs; a process that ended on its own is booked as a fault.
        """
        if self._process is None:
            return False
        status = self._process.poll()
        if status is None:
            return True
        self._process = None
        self._ledger.found("a node ended by itself", f"{self.name}: exit status {status}: {self.last_words()}")
        return False

    def make(self) -> None:
        """Creates its keys and state folder."""
        subprocess.run([self._binary, "init", "--role", self.role, "--name", self.name, "--state-dir", self.folder],
                       check=True, capture_output=True)

    def launch(self) -> None:
        """Starts its process without waiting for an answer."""
        assert self._process is None, self.name
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", self._binary, "run", "--interfaces", "lo", "--state-dir",
                 self.folder, *self._arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", process_group=0)

    def start(self) -> str | None:
        """Starts it, waits for an answer, and returns the reason of a failure."""
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
        """Ends its process with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def agent(self) -> int | None:
        """Returns the process ID of the agent on its state folder; `None` if there is none.

        An agent outlives a killed node, and the next node uses it. So it need not be a child of
        this process.
        """
        return next(iter(confinement.running_with(AGENT, f"{self.folder}/agent.sock")), None)

    def kill_agent(self, agent: int) -> bool:
        """Ends its agent with SIGKILL, and returns whether the agent was running."""
        try:
            handle = os.pidfd_open(agent)
        except ProcessLookupError:
            return False
        try:
            # The handle keeps naming this process. Once it is held, the check that this is the
            # agent is reliable.
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
        """Ends its process with SIGTERM, and books anything but a clean end as a fault."""
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
        """Sends it a request, and books an answer that reports a fault of the node."""
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
        """Copies its state folder, on which no process may run."""
        assert self._process is None, self.name
        shutil.copytree(self.folder, place, ignore=_sockets)

    def put_back(self, place: pathlib.Path) -> None:
        """Replaces its state folder by an earlier copy; no process may run on it."""
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
