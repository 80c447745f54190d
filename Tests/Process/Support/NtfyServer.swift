import Foundation
import Glibc

/// A real ntfy server on loopback, which lets in only who is listed, with the users `node` and
/// `phone`.
///
/// `Tools/setup` unpacks it.
actor NtfyServer {
  /// A message as a subscriber gets it.
  struct Message: Decodable, Hashable {
    struct Action: Decodable, Hashable {
      var label: String
      var url: String
      var body: String
    }

    var id: String
    var event: String
    var message: String?
    var priority: Int?
    var actions: [Action]?
  }

  private static let program = BuiltProgram.tools + "/../.build/ntfy/usr/bin/ntfy"

  nonisolated let url: String
  /// A file with the password of `node`, as `--secret-file` takes it.
  nonisolated let secretFile: String
  private let lab: ProcessLab
  private let folder: String
  private var process: SpawnedProcess?
  private var topics: (out: String, in: String)?

  /// Starts a server.
  init(_ lab: ProcessLab) async throws {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw LabFault("There is no ntfy server at \(Self.program): run Tools/setup, which unpacks one.")
    }
    (self.lab, folder) = (lab, lab.newPath())
    let port = try lab.freePort()
    url = "http://127.0.0.1:\(port)"
    secretFile = folder + "/secret"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    // All the clients of a test have the same address.
    try """
    base-url: "\(url)"
    listen-http: "127.0.0.1:\(port)"
    cache-file: "\(folder)/cache.db"
    auth-file: "\(folder)/user.db"
    auth-default-access: "deny-all"
    visitor-request-limit-exempt-hosts: "127.0.0.1"
    """.write(toFile: folder + "/server.yml", atomically: true, encoding: .utf8)
    try "word of node\n".write(toFile: secretFile, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secretFile)
    try await start()
    for user in ["node", "phone"] {
      _ = try await command(
        ["user", "--config", folder + "/server.yml", "add", user], ["NTFY_PASSWORD": "word of \(user)"])
    }
  }

  /// Starts it, with all that it knew before.
  func start() async throws {
    let log = folder + ".log"
    let process = try lab.spawn(
      Self.program, ["serve", "--config", folder + "/server.yml"], output: "/dev/null", talk: log)
    self.process = process
    try await eventually("the ntfy server answers") {
      guard process.isRunning else { throw LabFault("It ended: \(ProcessLab.read(log).suffix(2_000))") }
      return try await lab.run("curl", ["-sf", url + "/v1/health"]).status == 0
    }
  }

  /// Has it answer nothing from now on, although connections to it are still accepted.
  func mute() { process?.signal(SIGSTOP) }

  /// Has it go on after `mute`.
  func speak() { process?.signal(SIGCONT) }

  /// Kills it.
  func kill() async {
    process?.signal(SIGKILL)
    _ = await process?.wait()
  }

  /// Does what `latchkey receivers add ntfy` tells the server's operator to do.
  func obey(_ words: String) async throws {
    var ran = 0
    var topics = (out: "", in: "")
    for line in words.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count == 5, parts[0] == "ntfy", parts[1] == "access" else { continue }
      let user = parts[2] == "PHONE" ? "phone" : parts[2]
      _ = try await command(["access", "--config", folder + "/server.yml", user, parts[3], parts[4]])
      if user == "node", parts[4] == "write-only" { topics.out = parts[3] }
      if user == "node", parts[4] == "read-only" { topics.in = parts[3] }
      ran += 1
    }
    guard ran == 4 else { throw LabFault("There are \(ran) lines for the operator: \(words)") }
    self.topics = topics
  }

  private func command(_ words: [String], _ variables: [String: String] = [:]) async throws -> CommandResult {
    let result = try await lab.run(Self.program, words, variables: variables)
    guard result.status == 0 else { throw LabFault("\(words) failed: \(result)") }
    return result
  }
}

// MARK: - The phone

extension NtfyServer {
  /// The server refuses a request now and then while its database of users is in use.
  private static let patience = ["--retry", "20", "--retry-all-errors", "--retry-delay", "1"]

  /// What the phone has been sent, the oldest first.
  func messages() async throws -> [Message] {
    let result = try await lab.run(
      "curl", Self.patience + ["-sf", "-u", "phone:word of phone", "\(url)/\(topics?.out ?? "")/json?poll=1&since=all"])
    guard result.status == 0 else { throw LabFault("the phone cannot read: \(result)") }
    let messages = try result.output.split(separator: "\n").map {
      try JSONDecoder().decode(Message.self, from: Data($0.utf8))
    }
    return messages.filter { $0.event == "message" }
  }

  /// Waits for the newest message that a condition holds for.
  func message(_ what: String, _ condition: @Sendable (Message) -> Bool) async throws -> Message {
    var all: [Message] = []
    do {
      try await eventually(what) {
        all = try await self.messages()
        return all.contains(where: condition)
      }
    } catch {
      throw LabFault("\(error) The phone has \(all.map { $0.message ?? "" }).")
    }
    guard let found = all.last(where: condition) else { throw LabFault(what) }
    return found
  }

  /// Posts to the topic of the buttons, as often as it is told.
  func post(_ body: String, times: Int = 1) async throws {
    let url = "\(url)/\(topics?.in ?? "")?n=[1-\(times)]"
    let result = try await lab.run("curl", Self.patience + ["-sf", "-o", "/dev/null", "-d", body, url])
    guard result.status == 0 else { throw LabFault("the phone cannot post: \(result)") }
  }

  /// Presses a button of a message.
  func press(_ label: String, of message: Message, times: Int = 1) async throws {
    guard let action = message.actions?.first(where: { $0.label == label }) else {
      throw LabFault("There is no button \(label): \(message)")
    }
    try await post(action.body, times: times)
  }
}
