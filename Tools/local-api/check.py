"""Compares the answers of two nodes with the OpenAPI document of the local API.

See Tools/check-local-api.

A parent and a child are paired over loopback and given content: rules, commands, messages. Then
schemathesis sends requests to each of them through a relay from a TCP port on loopback to the
node's Unix socket. Streams and long polls, for which it would wait, are tested here.
"""
import argparse
import contextlib
import copy
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema_rs

# What schemathesis checks in every answer.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "unsupported_method", "allow_header_conformance"]
SEED = 20261122
PARENT, CHILD = "Mum's laptop", "Emma's PC"


class Fault(Exception):
    """A violation, which the text describes."""


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Node:
    """A node in a folder of its own."""

    def __init__(self, program, folder, role, name, *options):
        self.program, self.folder, self.name = program, folder, name
        self.socket = folder / "control.sock"
        subprocess.run([program, "init", "--role", role, "--name", name, "--state-dir", folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.log = open(str(folder) + ".log", "wb")
        self.process = subprocess.Popen(
            [program, "run", "--state-dir", folder, "--interfaces", "lo", *options], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log)
        self.eventually("it runs", lambda: self.socket.exists() and self.ask("GET", "/v1/status"))

    def eventually(self, what, condition, seconds=30):
        """Waits until a condition is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                if found := condition():
                    return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        log = pathlib.Path(str(self.folder) + ".log").read_text(errors="replace")[-2_000:]
        raise Fault(f"{self.name}: it never came to this: {what}. It says:\n{log}")

    def ask(self, method, path, body=None, timeout=40):
        """Returns the status and the JSON of an answer."""
        connection = Connection(self.socket, timeout)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {} if body is None else {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def done(self, method, path, body=None):
        """Returns the JSON of a success."""
        status, value = self.ask(method, path, body)
        if status >= 300:
            raise Fault(f"{self.name}: {method} {path}: {status} {value}")
        return value

    def first_event(self, path, accept):
        """Returns the content type of a stream, and its first line."""
        connection = Connection(self.socket, 10)
        try:
            connection.request("GET", path, headers={"Accept": accept})
            answer = connection.getresponse()
            return answer.getheader("Content-Type"), answer.readline().decode()
        finally:
            connection.close()

    def command(self, *words):
        """Issues a command through the command line, which knows the form of each kind."""
        subprocess.run([self.program, *words, "--state-dir", self.folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        self.log.close()


class Relay:
    """Relays connections on a TCP port on loopback to a Unix socket."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                far.connect(self.path)
            except OSError:
                near.close()
                continue
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    @staticmethod
    def carry(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        self.listener.close()


def pair(parent, child):
    """Pairs the two, and gives them content."""
    address = parent.done("GET", "/v1/status")["listening"][0]
    invitation = parent.done("POST", "/v1/pairing/invitations", {"acceptWithoutAsking": True, "childName": "Emma"})
    joining = child.done("POST", "/v1/pairing/joins", {
        "code": invitation["code"], "peer": f"127.0.0.1:{address.rsplit(':', 1)[1]}", "acceptWithoutAsking": True})
    while joining["phase"] != "ended":
        joining = child.done("GET", f"/v1/pairing/{joining['pairingID']}?after={joining['change']}")
    if joining["outcome"] != "ok":
        raise Fault(f"the pairing ended with {joining['outcome']}: {joining.get('sentence')}")
    parent.eventually("the child is there", lambda: parent.done("GET", "/v1/devices")[0]["isConnected"])
    parent.eventually("the machine is the child's", lambda: any(c["machines"] for c in parent.done("GET", "/v1/children")))
    parent.command("app", "set", "org.example.Chess", "--new", "--name", "Chess", "--child", "Emma", "--category", "reward",
                   "--daily-limit", "45")
    parent.command("message", "send", "Dinner is ready", "--on", CHILD)
    parent.command("report", "request", "--on", CHILD)
    for command in parent.done("GET", "/v1/commands"):
        parent.eventually("a command is executed",
                          lambda: parent.done("GET", f"/v1/commands/{command['commandID']}/wait")["status"] == "executed")
    with open("/proc/self/stat") as file:
        began = int(file.read().rsplit(")", 1)[1].split()[19])
    child.done("POST", "/v1/usage/sessions", {
        "appID": "org.example.Chess", "processID": os.getpid(), "processStartTime": began, "zone": "UTC",
        "startedAt": {"milliseconds": int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000)},
        "startedAtWall": int(time.time() * 1_000)})


def with_examples(document, values):
    """Returns the document with values that the node knows, as examples for requests that only
    read.
    """
    document = copy.deepcopy(document)
    for path in document["paths"].values():
        for parameter in path.get("get", {}).get("parameters", []):
            if parameter["name"] in values:
                parameter["examples"] = {
                    str(number): {"value": value} for number, value in enumerate(values[parameter["name"]])}
    return document


def operations(document, *answers):
    return [operation for path in document["paths"].values() for operation in path.values()
            if operation["x-latchkey-answer"] in answers]


def check_by_hand(node, document, values):
    """Sends the requests that schemathesis does not send: streams and a long poll.

    Returns their number.

    A parameter of a path gets the first value that the node knows for it.
    """
    checked = 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            content = next(answer for status, answer in operation["responses"].items() if status < "300")["content"]
            # Only a child's machine has notices, and none comes on its own: NoticeTests tests them.
            if path == "/v1/me/notices":
                continue
            if operation["x-latchkey-answer"] == "events":
                for accept in content:
                    asked = path.format(**{name: known[0] for name, known in values.items()})
                    kind, line = node.first_event(asked, accept)
                    if kind != accept:
                        raise Fault(f"{node.name}: {path} is {kind}, not {accept}: {line}")
                    validate(node, path, json.loads(line.removeprefix("data: ")), content[accept]["schema"], document)
                    checked += 1
            elif path == "/v1/pairing/nearby":
                validate(node, path, node.done("GET", path), content["application/json"]["schema"], document)
                checked += 1
    return checked


def validate(node, path, value, schema, document):
    validator = jsonschema_rs.validator_for({**schema, "components": document["components"]})
    if error := next(validator.iter_errors(value), None):
        raise Fault(f"{node.name}: {path} answered {value}, which is not as the document says: {error.message}")


def run_schemathesis(node, document, folder, seed, seconds):
    """Runs schemathesis against a node; returns whether everything was right."""
    path = folder / f"{node.folder.name}.json"
    path.write_text(json.dumps(document))
    relay = Relay(node.socket)
    # Tested by `check_by_hand`.
    left_out = [operation["operationId"] for operation in operations(document, "events")] + ["get-pairing-nearby"]
    # Browsers that were let in ask on a socket of their own: PhoneTests and BrowserRouteTests.
    left_out += [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()
                 if "node-user" not in operation["x-latchkey-who-may"]]
    try:
        return subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", path, "--url", relay.url, "--checks", ",".join(CHECKS),
             "--phases", "examples,coverage,fuzzing", "--max-examples", "25", "--seed", str(seed),
             "--max-time", str(seconds), "--generation-database", "none", "--request-timeout", "35", "--no-color",
             "--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure", "--workers", "1",
             *(word for name in left_out for word in ("--exclude-operation-id", name))], cwd=folder).returncode == 0
    finally:
        relay.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--seconds", type=int, default=40)
    options = parser.parse_args()
    document = json.loads(options.document.read_text())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="latchkey-local-api-"))
    nodes = []
    try:
        print(f"check-local-api: seed {options.seed}", flush=True)
        nodes.append(Node(options.program, folder / "parent", "parent", PARENT, "--no-discovery"))
        nodes.append(Node(options.program, folder / "child", "child", CHILD, "--no-discovery"))
        parent, child = nodes
        pair(parent, child)
        values = {
            "device": [node.done("GET", "/v1/status")["deviceID"] for node in nodes],
            "command": [command["commandID"] for command in parent.done("GET", "/v1/commands")],
            "class": ["command", "usage"],
            "child": [known["childID"] for known in parent.done("GET", "/v1/children")],
        }
        well = True
        for node in nodes:
            count = check_by_hand(node, document, values)
            print(f"check-local-api: {node.name}: {count} streams and long polls are as the document says", flush=True)
            well = run_schemathesis(node, with_examples(document, values), folder, options.seed, options.seconds) and well
            # Whatever the requests, the node still runs and answers.
            node.done("GET", "/v1/status")
        if not well:
            raise Fault("answers are not as Protocol/local-api.json says; see above")
    except Fault as fault:
        sys.exit(f"check-local-api: {fault}")
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(folder)
    print("check-local-api: all is as Protocol/local-api.json says")


main()
