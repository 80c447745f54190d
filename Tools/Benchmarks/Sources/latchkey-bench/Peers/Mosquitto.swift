import Foundation

/// A mosquitto broker on loopback with TLS and persistence, and the clients of
/// Tools/Benchmarks/mqtt-peer.c.
///
/// No message is dropped or held back: neither the queue nor the messages in flight are bounded.
/// The broker acknowledges a message before it is on any disk. It writes its database every half
/// hour, and when it ends, and never synchronises it.
final class Mosquitto {
  static let settings =
    "mosquitto: QoS 1, TLS 1.3, persistence on, max_queued_messages 0, max_inflight_messages 0, set_tcp_nodelay true; "
    + "it does not write a message to the disk before it acknowledges it"
  private let client: String
  private let folder: String
  private let port: Int
  private let broker: LineProcess

  /// Creates keys in `folder`, which must not exist, and starts the broker; `client` is the program
  /// built from mqtt-peer.c.
  init(client: String, folder: String, port: Int) throws {
    self.client = client
    self.folder = folder
    self.port = port
    try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
    try Self.makeKeys(folder)
    let configuration = """
      user \(NSUserName())
      listener \(port) 127.0.0.1
      cafile \(folder)/ca.pem
      certfile \(folder)/broker.pem
      keyfile \(folder)/broker.key
      allow_anonymous true
      persistence true
      persistence_location \(folder)/data/
      max_queued_messages 0
      max_queued_bytes 0
      max_inflight_messages 0
      max_inflight_bytes 0
      set_tcp_nodelay true
      log_dest file \(folder)/log

      """
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/conf"))
    broker = try LineProcess("/usr/sbin/mosquitto", ["-c", folder + "/conf"])
    let deadline = Durations.now() + 10_000_000
    while !(((try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "").contains(" running")) {
      guard Durations.now() < deadline else { throw BenchFault("mosquitto does not start: see \(folder)/log.") }
      usleep(10_000)
    }
  }

  func cost() throws -> ProcessCost { try ProcessCost.of(broker.id) }

  func stop() { broker.kill() }

  /// Returns a connected publisher, which begins at a line.
  func publisher(_ count: Int, size: Int, window: Int) throws -> LineProcess {
    let process = try start("publish", ["parent", String(count), String(size), String(window)])
    _ = try process.read("ready")
    return process
  }

  /// Begins a persistent session.
  func join() throws {
    let process = try start("join", ["child"])
    _ = try process.read("joined")
    process.end()
  }

  /// Continues the persistent session; prints `received`, its own start, the first message and the
  /// last.
  func receiver(_ count: Int) throws -> LineProcess { try start("receive", ["child", String(count)]) }

  /// Returns connections with a subscription each.
  func fleet(_ count: Int) throws -> LineProcess {
    let process = try start("fleet", ["fleet", String(count)])
    _ = try process.read("ready")
    return process
  }

  private func start(_ mode: String, _ arguments: [String]) throws -> LineProcess {
    try LineProcess(client, [mode, String(port), folder + "/ca.pem"] + arguments)
  }

  /// Creates an authority and a certificate for this run.
  private static func makeKeys(_ folder: String) throws {
    try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: URL(fileURLWithPath: folder + "/names"))
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    let steps = [
      ["req", "-x509"] + key + ["-days", "2", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=bench authority"],
      ["req"] + key + ["-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=127.0.0.1"],
      [
        "x509", "-req", "-in", "broker.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
        "-out", "broker.pem", "-extfile", "names",
      ],
    ]
    for step in steps {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = step
      process.currentDirectoryURL = URL(fileURLWithPath: folder)
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw BenchFault("openssl \(step[0]) failed.") }
    }
  }
}
