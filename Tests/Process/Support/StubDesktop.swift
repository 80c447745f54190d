import Foundation

/// A session bus of the lab's own with a notification service of the tests', which stands for a
/// desktop.
struct StubDesktop {
  /// A notification as the service got it.
  struct Shown: Hashable, Decodable {
    var number: UInt32
    var replaces: UInt32
    var title: String
    var text: String
  }

  /// The environment variables of the session.
  let variables: [String: String]
  private let lab: ProcessLab
  private let socket: String
  private let output: String
  private var service: SpawnedProcess?

  /// Starts a bus, with a notification service on it unless `isEmpty`.
  init(_ lab: ProcessLab, isEmpty: Bool = false) async throws {
    self.lab = lab
    (variables, socket) = try await lab.sessionBus()
    output = lab.newPath() + ".shown"
    if !isEmpty { try await comeBack() }
  }

  /// Starts the notification service, which knows nothing of an earlier one.
  mutating func comeBack() async throws {
    let log = socket + ".log"
    let service = try lab.spawn("/usr/bin/python3", ["-c", Self.program, socket], output: output, talk: log)
    self.service = service
    try await eventually("the service is there") { [output] in
      guard service.isRunning else { throw LabFault("It ended: \(ProcessLab.read(log))") }
      return ProcessLab.read(output).hasPrefix("ready\n")
    }
  }

  /// What was shown so far.
  var shown: [Shown] {
    ProcessLab.read(output).split(separator: "\n").dropFirst().compactMap {
      try? JSONDecoder().decode(Shown.self, from: Data($0.utf8))
    }
  }

  /// Ends the notification service.
  func leave() async {
    service?.signal(SIGKILL)
    _ = await service?.wait()
  }

  /// A service that speaks just enough of D-Bus: it takes the name, and answers two methods.
  private static let program = #"""
    import json, os, socket, struct, sys
    bus = socket.socket(socket.AF_UNIX)
    bus.connect(sys.argv[1])
    bus.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
    assert bus.recv(4096).startswith(b"OK")
    bus.sendall(b"BEGIN\r\n")
    serial = 0

    def pad(data, size): return data + b"\0" * (-len(data) % size)
    def text(value): return struct.pack("<I", len(value.encode())) + value.encode() + b"\0"

    def send(kind, fields, signature=b"", body=b""):
        global serial
        serial += 1
        if signature: fields = fields + [(8, b"g", bytes([len(signature)]) + signature + b"\0")]
        data = b""
        for code, sort, value in fields: data = pad(data, 8) + bytes([code, 1]) + sort + b"\0" + value
        head = b"l" + bytes([kind, 0, 1]) + struct.pack("<III", len(body), serial, len(data))
        bus.sendall(pad(head + data, 8) + body)

    def call(member, signature=b"", body=b""):
        place = "org.freedesktop.DBus"
        send(1, [(1, b"o", text("/org/freedesktop/DBus")), (6, b"s", text(place)), (2, b"s", text(place)),
                 (3, b"s", text(member))], signature, body)

    def read(count):
        data = b""
        while len(data) < count:
            more = bus.recv(count - len(data))
            if not more: sys.exit()
            data += more
        return data

    def string(data, at):
        at += -at % 4
        size = struct.unpack_from("<I", data, at)[0]
        return data[at + 4:at + 4 + size].decode(), at + 5 + size

    call("Hello")
    call("RequestName", b"su", pad(text("org.freedesktop.Notifications"), 4) + struct.pack("<I", 0))
    number = 0
    while True:
        head = read(16)
        order, kind = chr(head[0]), head[1]
        size, reply, fields = struct.unpack("<III", head[4:])
        assert order == "l"
        data = read(fields + -fields % 8)
        body = read(size)
        known, at = {}, 0
        while at < fields:
            at += -at % 8
            code, sort = data[at], data[at + 2:at + 3]
            at += 4
            if sort == b"g": at += data[at] + 2
            elif sort == b"u": at += -at % 4 + 4
            else: known[code], at = string(data, at)
        if kind == 4 and known.get(3) == "NameAcquired" and "Notifications" in string(body, 0)[0]:
            print("ready", flush=True)
        if kind != 1: continue
        answer = [(5, b"u", struct.pack("<I", reply)), (6, b"s", text(known[7]))]
        if known[3] == "GetCapabilities":
            items = pad(text("body"), 4) + text("body-markup")
            send(2, answer, b"as", struct.pack("<I", len(items)) + items)
        elif known[3] == "Notify":
            _, at = string(body, 0)
            at += -at % 4
            replaces = struct.unpack_from("<I", body, at)[0]
            _, at = string(body, at + 4)
            title, at = string(body, at)
            shown, at = string(body, at)
            number = replaces or max(number, 10) + 1
            print(json.dumps({"number": number, "replaces": replaces, "title": title, "text": shown}), flush=True)
            send(2, answer, b"u", struct.pack("<I", number))
        else:
            send(3, answer + [(4, b"s", text("org.freedesktop.DBus.Error.UnknownMethod"))])
    """#
}

extension ProcessLab {
  /// Starts a session bus of the lab's own, and returns the session's environment variables and the
  /// bus's socket.
  func sessionBus() async throws -> (variables: [String: String], socket: String) {
    let (socket, runtime, configuration) = (newPath() + ".bus", newPath(), newPath() + ".conf")
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try """
    <busconfig><type>session</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
    <allow own="*"/></policy></busconfig>
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    _ = try spawn(
      "dbus-daemon", ["--config-file=" + configuration, "--nofork", "--nopidfile"], output: "/dev/null",
      talk: socket + ".log")
    try await eventually("the bus listens") { FileManager.default.fileExists(atPath: socket) }
    return (["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + socket, "XDG_RUNTIME_DIR": runtime], socket)
  }
}
