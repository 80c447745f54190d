"""A family of real nodes whose pages a browser opens: a parent, Emma's PC and Ben's PC."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import time

DAY = 86_400_000
# The programs that the family uses: ID, name, category, points a minute.
PROGRAMS = [
    ("org.kde.gcompris", "GCompris", "learning", "1"),
    ("org.geogebra.GeoGebra", "GeoGebra", "learning", "1"),
    ("net.supertuxkart.SuperTuxKart", "SuperTuxKart", "reward", "1"),
    ("org.luanti.luanti", "Luanti", "reward", "1"),
    ("org.mozilla.firefox", "Firefox", "neutral", None),
    ("org.kde.krita", "Krita", "neutral", None),
]


class Fault(Exception):
    """Something that is not as it must be, which the text describes."""


def eventually(what, condition, seconds=30):
    """Returns the first true value of a condition."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if found := condition():
                return found
        time.sleep(0.05)
    raise Fault(f"it never came to this: {what}.")


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=40)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Node:
    """A node in a folder of its own, and the process that serves its pages."""

    def __init__(self, program, work, role, word, name, zone, variables=None):
        self.program, self.work, self.word, self.name = program, work, word, name
        self.folder = work / word
        self.variables = {"LATCHKEY_STATE_DIR": str(self.folder), "LATCHKEY_DPKG_DIR": str(work / "dpkg"),
                          "XDG_DATA_DIRS": str(work / "share"), "XDG_DATA_HOME": str(work / "home"),
                          "XDG_RUNTIME_DIR": str(work / "runtime"), "TZ": zone,
                          "PATH": f"{work / 'bin'}:{os.environ['PATH']}"} | (variables or {})
        self.process = None
        self.command("init", "--role", role, "--name", name)

    def command(self, *words):
        """Runs a command of the command line, and returns what it writes."""
        made = subprocess.run([self.program, *words], env=os.environ | self.variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if made.returncode:
            raise Fault(f"{self.name}: latchkey {' '.join(words)}: {made.stderr or made.stdout}")
        return made.stdout

    def start(self):
        with open(self.work / f"{self.word}.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.program, "run", "--interfaces", "lo"], env=os.environ | self.variables,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(f"{self.name} runs", lambda: self.ask("GET", "/v1/status"))

    def end(self, by=signal.SIGTERM):
        if self.process:
            self.process.send_signal(by)
            self.process.wait(30)
        self.process = None

    def leave(self):
        """Ends the node, and the process that serves its pages."""
        self.end()
        if process := self.web():
            os.kill(process, signal.SIGTERM)

    def ask(self, method, path, body=None):
        """Returns the JSON of an answer of the local API."""
        connection = Connection(self.folder / "control.sock")
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body),
                               {} if body is None else {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.loads(answer.read())
        if answer.status >= 300:
            raise Fault(f"{self.name}: {method} {path}: {answer.status} {value}")
        return value

    def opened(self, *words):
        """Opens the pages as a person does, and returns the file that the browser is given."""
        note = self.work / "runtime" / "opened"
        note.unlink(missing_ok=True)
        self.command(*words)
        file = pathlib.Path(eventually("the browser is opened", lambda: note.exists() and note.read_text()))
        if file.stat().st_mode & 0o777 != 0o600:
            raise Fault(f"others can read {file}, which has a link in it.")
        return file

    def web(self):
        """Returns the process that serves the pages; `None` if there is none."""
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit():
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    if words[1:2] == [b"web"] and str(self.folder).encode() in words:
                        return int(entry.name)
        return None


def afternoon():
    """Returns a time zone in which it is between five and six in the afternoon, so that a run shows
    the same at all times of the day.
    """
    east = 17 - time.gmtime().tm_hour
    # There are zones up to 14 hours east of Greenwich.
    east -= 24 if east > 12 else 0
    return f"Etc/GMT{-east:+d}" if east else "Etc/GMT"


def memory(process):
    """Returns the resident memory of a process in MB: all, and what it has not mapped from files."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    values = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.endswith("kB")}
    return values["VmRSS"], values["RssAnon"]


def prepare(work):
    """Makes the folders that the nodes of a family share, and what opens their pages."""
    for name in ("bin", "runtime", "share/applications", "home", "dpkg"):
        (work / name).mkdir(parents=True)
    (work / "runtime").chmod(0o700)
    opener = work / "bin/xdg-open"
    opener.write_text('#!/bin/sh\nprintf %s "$1" >"$XDG_RUNTIME_DIR/opened.new"\n'
                      'mv "$XDG_RUNTIME_DIR/opened.new" "$XDG_RUNTIME_DIR/opened"\n')
    opener.chmod(0o755)


def install(work, app, name, program):
    """Adds an application to those that are installed on the machines."""
    (work / f"share/applications/{app}.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName={name}\nExec={program}\n")


class Family:
    """A parent and two children whose machines are paired with the parent's."""

    def __init__(self, program, work):
        self.work = work
        zone = afternoon()
        prepare(work)
        for app, name, *_ in PROGRAMS:
            # The rules of this family close no program of the person who runs this.
            install(work, app, name, work / "bin" / name.lower())
        self.parent = Node(program, work, "parent", "parent", "Kitchen laptop", zone)
        self.emma = Node(program, work, "child", "emma", "Emma's PC", zone)
        self.ben = Node(program, work, "child", "ben", "Ben's PC", zone)
        self.nodes = [self.parent, self.emma, self.ben]
        self.games = []
        for node in self.nodes:
            node.start()
        for node, child in ((self.emma, "Emma"), (self.ben, "Ben")):
            self.pair(node, child)

    def pair(self, node, child):
        port = self.parent.ask("GET", "/v1/status")["listening"][0].rsplit(":", 1)[1]
        invitation = self.parent.ask(
            "POST", "/v1/pairing/invitations", {"acceptWithoutAsking": True, "childName": child})
        joining = node.ask("POST", "/v1/pairing/joins", {
            "code": invitation["code"], "peer": f"127.0.0.1:{port}", "acceptWithoutAsking": True})
        while joining["phase"] != "ended":
            joining = node.ask("GET", f"/v1/pairing/{joining['pairingID']}?after={joining['change']}")
        if joining["outcome"] != "ok":
            raise Fault(f"the pairing ended with {joining['outcome']}: {joining.get('sentence')}")
        eventually(f"{node.name} knows its child", lambda: node.ask("GET", "/v1/children"))

    def child(self, name):
        """Returns the ID of a child."""
        return next(one["childID"] for one in self.parent.ask("GET", "/v1/children") if one["name"] == name)

    def device(self, node):
        """Returns the bytes of a child machine's ID."""
        with contextlib.closing(sqlite3.connect(self.parent.folder / "latchkey.sqlite")) as database:
            return database.execute("SELECT device_id FROM peer WHERE name = ?", (node.name,)).fetchone()[0]

    def set_rules(self):
        for child in ("Emma", "Ben"):
            for app, name, category, points in PROGRAMS:
                self.parent.command(
                    "app", "set", app, "--child", child, "--new", "--name", name, "--category", category,
                    *(["--points-per-minute", points] if points else []))
        self.parent.command("limit", "set", "--child", "Emma", "--daily", "2h", "--weekends", "3h")
        self.parent.command("limit", "set", "--child", "Ben", "--daily", "1h30m", "--weekends", "1h30m")
        self.parent.command("bedtime", "set", "--child", "Emma", "20:30-07:00")
        self.parent.command("bedtime", "set", "--child", "Ben", "20:00-07:00")
        self.parent.command("app", "set", "org.luanti.luanti", "--child", "Ben", "--daily-limit", "45min")
        for child, points in (("Emma", "+45"), ("Ben", "+12")):
            self.parent.command("points", "adjust", child, points, "--reason", "helped with dinner", "--wait")

    def play(self, node, app):
        """Has a program run on a child's machine, whose use is recorded."""
        words = [node.program, "usage", "track", "--app", app, "--", "sleep", "3600"]
        self.games.append(subprocess.Popen(words, env=os.environ | node.variables, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        child = node.ask("GET", "/v1/children")[0]["childID"]
        eventually("the program is seen", lambda: node.ask("GET", f"/v1/children/{child}/today")["running"])

    def remember(self, plans):
        """Writes use of the past into the databases of the nodes, which are stopped for it.

        - plans: For each child's node, its child's name and the sessions: application, start and
          end in Unix milliseconds.
        """
        made = [(node, self.child(name), sessions) for node, name, sessions in plans]
        for node in self.nodes:
            node.end()
        for node, child, sessions in made:
            for keeper in (self.parent, node):
                write_use(keeper.folder / "latchkey.sqlite", self.device(node),
                          bytes.fromhex(child.replace("-", "")), sessions)
        for node in self.nodes:
            node.start()
        for node, *_ in made:
            eventually("the machines are in touch", lambda: all(
                one["isConnected"] for one in self.parent.ask("GET", "/v1/devices")))

    def end(self):
        for game in self.games:
            game.terminate()
        for node in self.nodes:
            node.leave()


def ordinary_weeks(seed, minutes):
    """Returns sessions of today and of the thirteen days before, as a child makes them."""
    chance, now = random.Random(seed), int(time.time()) * 1_000
    # What is five in the afternoon now was seventeen hours ago its day's midnight.
    midnight = now - now % 3_600_000 - 17 * 3_600_000
    sessions = []
    for day in range(14):
        start = midnight - day * DAY + 14 * 3_600_000 + chance.randrange(30) * 60_000
        for place in sorted(chance.sample(range(len(PROGRAMS)), 3)):
            length = chance.randrange(minutes // 2, minutes) * 60_000
            if start + length > now:
                break
            sessions.append((PROGRAMS[place], start, start + length))
            start += length + chance.randrange(2, 6) * 60_000
    return sessions


def write_use(path, device, child, sessions):
    """Writes sessions into a database as `Store` does."""
    days, longest = {}, 0
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for (app, name, category, points), start, end in sessions:
            rate = int(points or 0) * 1_000
            database.execute(
                "INSERT INTO usage_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'observed', 1, ?, ?, ?, NULL)",
                (os.urandom(16), device, app, name, start, end, "UTC", end - start, category, rate, os.getuid(), child,
                 start))
            longest = max(longest, end - start)
            while start < end:
                rest = min(end, (start // DAY + 1) * DAY)
                days.setdefault((start // DAY, app, category), []).append((start % DAY, start % DAY + rest - start))
                start = rest
        for (day, app, category), ranges in days.items():
            joined = []
            for low, high in sorted(ranges):
                if joined and low <= joined[-1][1]:
                    joined[-1][1] = max(high, joined[-1][1])
                else:
                    joined.append([low, high])
            data = b"".join(low.to_bytes(4, "big") + high.to_bytes(4, "big") for low, high in joined)
            database.execute("INSERT OR REPLACE INTO use_day VALUES (?, ?, ?, ?, ?)", (child, day, app, category, data))
        database.execute("INSERT OR REPLACE INTO usage_longest VALUES (?, ?)", (device, longest))
