import Foundation
import Glibc
import LatchkeyModel

@testable import LatchkeyBridge

/// An MQTT broker of a test's own on loopback, with TLS, users and an access list.
///
/// It keeps nothing over a restart, as mosquitto without `persistence`.
actor MosquittoBroker {
  let lab: ProcessLab
  let port: UInt16
  /// A port without TLS on the same broker, for programs that cannot be given a certificate.
  let plainPort: UInt16
  /// The certificate of the authority that has signed the broker's.
  nonisolated let authority: String
  /// A file with the password of the user `latchkey`.
  nonisolated let secret: String
  private let base: String
  private var process: SpawnedProcess?

  /// A topic of which the broker keeps a message as long as it runs.
  private static let marker = "homeassistant/test"

  /// What the users may do; `+` is a whole level.
  private static let accessList = """
    user latchkey
    topic readwrite latchkey/#
    topic write homeassistant/device/#
    topic read homeassistant/status
    user home
    topic read latchkey/#
    topic write latchkey/do/#
    topic readwrite homeassistant/#

    """

  /// Creates certificates and users, and starts the broker.
  init(_ lab: ProcessLab) async throws {
    self.lab = lab
    base = lab.newPath()
    (port, plainPort) = (try lab.freePort(), try lab.freePort())
    (authority, secret) = (base + ".ca", base + ".secret")
    try await Self.certify(lab, base, authority)
    for (user, password) in [("latchkey", "a secret of hers"), ("home", "home")] {
      let new = access(base + ".users", F_OK) == 0 ? [] : ["-c"]
      try await Self.run(lab, "mosquitto_passwd", ["-b"] + new + [base + ".users", user, password])
    }
    try Data("a secret of hers\n".utf8).write(to: URL(fileURLWithPath: secret))
    chmod(secret, 0o600)
    try Data(Self.accessList.utf8).write(to: URL(fileURLWithPath: base + ".access"))
    // mosquitto warns of access lists that others can read.
    chmod(base + ".access", 0o600)
    let settings = """
      per_listener_settings false
      allow_anonymous false
      password_file \(base).users
      acl_file \(base).access
      persistence false
      listener \(port) 127.0.0.1
      cafile \(authority)
      certfile \(base).certificate
      keyfile \(base).key
      listener \(plainPort) 127.0.0.1

      """
    try Data(settings.utf8).write(to: URL(fileURLWithPath: base + ".conf"))
    try await start()
  }

  /// Creates an authority and a certificate for `localhost`.
  private static func certify(_ lab: ProcessLab, _ base: String, _ authority: String) async throws {
    let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    try await run(
      lab, "openssl", ["req", "-x509"] + new + ["-keyout", base + ".cakey", "-out", authority, "-subj", "/CN=Home"])
    try await run(
      lab, "openssl",
      ["req", "-x509"] + new + [
        "-CA", authority, "-CAkey", base + ".cakey", "-keyout", base + ".key", "-out", base + ".certificate", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE",
      ])
  }

  /// Creates the certificate of an authority that has signed nothing.
  static func stranger(_ lab: ProcessLab) async throws -> String {
    let base = lab.newPath()
    try await certify(lab, base, base + ".ca")
    return base + ".ca"
  }

  private static func run(_ lab: ProcessLab, _ program: String, _ arguments: [String]) async throws {
    let result = try await lab.run(program, arguments)
    guard result.status == 0 else { throw LabFault("\(program): \(result)") }
  }

  func start() async throws {
    let log = base + ".log"
    let process = try lab.spawn("mosquitto", ["-c", base + ".conf"], output: "/dev/null", talk: log)
    self.process = process
    try await eventually("the broker is there") {
      guard process.isRunning else { throw LabFault("It ended: \(ProcessLab.read(log))") }
      return try await self.publish(Self.marker, "there", isRetained: true) == 0
    }
  }

  func kill() async {
    process?.signal(SIGKILL)
    _ = await process?.wait()
  }
}

// MARK: - As Home Assistant

extension MosquittoBroker {
  private nonisolated func home(_ port: UInt16) -> [String] {
    ["-h", "localhost", "-p", "\(port)", "--cafile", authority, "-u", "home", "-P", "home", "-q", "1"]
  }

  /// Publishes a message; returns the exit status of mosquitto_pub.
  @discardableResult
  func publish(_ topic: String, _ payload: String, isRetained: Bool = false) async throws -> Int32? {
    try await lab.run(
      "mosquitto_pub", home(port) + ["-t", topic, "-m", payload] + (isRetained ? ["-r"] : [])
    ).status
  }

  /// Publishes a retained message as the bridge's user, as whoever has its password can.
  func forge(_ topic: String, _ payload: String) async throws {
    let sent = try await lab.run(
      "mosquitto_pub",
      [
        "-h", "localhost", "-p", "\(port)", "--cafile", authority, "-u", "latchkey", "-P", "a secret of hers", "-q",
        "1", "-r", "-t", topic, "-m", payload,
      ])
    guard sent.status == 0 else { throw LabFault("\(sent)") }
  }

  /// Publishes each line as a message on one connection.
  func publish(_ topic: String, lines: [String]) async throws {
    let sent = try await lab.run(
      "mosquitto_pub", home(port) + ["-t", topic, "-l"], input: lines.joined(separator: "\n") + "\n")
    guard sent.status == 0 else { throw LabFault("\(sent)") }
  }

  /// Returns what the broker keeps of a topic; empty for nothing.
  ///
  /// A broker sends what it keeps in the order of the subscription, so that the marker comes first
  /// if it keeps nothing of the topic.
  func kept(_ topic: String) async throws -> String {
    let read = try await lab.run(
      "mosquitto_sub", home(port) + ["-t", topic, "-t", Self.marker, "-C", "1", "-W", "30", "-F", "%t %p"])
    guard let end = read.output.firstIndex(of: " ") else { throw LabFault("The broker does not answer: \(read)") }
    guard read.output[..<end] == topic else { return "" }
    return read.output[end...].trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts to follow topics, of which each message becomes a line of a file.
  func follow(_ filter: String) throws -> String {
    let output = lab.newPath()
    _ = try lab.spawn("mosquitto_sub", home(port) + ["-t", filter, "-v"], output: output, talk: output + ".log")
    return output
  }

  /// Returns the state of a child that the broker keeps.
  func state(of child: String) async throws -> ChildState? {
    let kept = try await kept(HomeTopics.state(child))
    return kept.isEmpty ? nil : try JSONDecoder().decode(ChildState.self, from: Data(kept.utf8))
  }
}
