import Foundation
import Glibc
import LatchkeyNode

/// The pages of a node, and curl as a browser that opens them.
struct WebBrowser {
  /// An answer to a request.
  struct Answer: CustomStringConvertible {
    var status: Int
    var text: String
    var headers: String

    var description: String { "\(status) \(headers)\n\(text)" }
  }

  let lab: ProcessLab
  /// The process that serves the pages.
  let process: SpawnedProcess
  /// The folder of the session of whoever opens them.
  let runtime: String
  private let folder: String
  private let jar: String
  /// The name of the pages with the port.
  private(set) var host = ""
  /// The address by which this browser was let in, which is worth nothing any more.
  private(set) var address = ""
  private(set) var token = ""

  /// Starts the pages of a node, and lets a browser in.
  init(_ node: NodeProcess, idle: String = "1h") async throws {
    lab = node.lab
    folder = node.folder
    (runtime, jar) = (lab.newPath(), lab.newPath())
    mkdir(runtime, 0o700)
    process = try Self.serve(node, runtime, idle: idle)
    try await signIn()
  }

  /// Starts the pages of a node.
  static func serve(_ node: NodeProcess, _ runtime: String, idle: String) throws -> SpawnedProcess {
    try node.lab.spawn(
      BuiltProgram.path, ["web", "--state-dir", node.folder, "--idle", idle, "--log-level", "debug"],
      variables: ["XDG_RUNTIME_DIR": runtime], output: "/dev/null", talk: node.folder + ".web.log")
  }

  /// Returns a new address that lets a browser in.
  func link() async throws -> String {
    let made = try await lab.run(
      BuiltProgram.path, ["dashboard", "--print", "--state-dir", folder], variables: ["XDG_RUNTIME_DIR": runtime])
    guard made.status == 0, made.output.hasPrefix("http://lk-") else { throw LabFault("no link was given: \(made)") }
    return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private mutating func signIn() async throws {
    let runtime = runtime
    try await eventually("the pages are served") { Self.hasSocket(runtime) }
    address = try await link()
    guard let parts = URLComponents(string: address), let name = parts.host, let port = parts.port,
      let secret = parts.queryItems?.first?.value
    else { throw LabFault("\(address) is no address.") }
    host = "\(name):\(port)"
    let entered = try await post("/in", ["link": secret], origin: "null")
    guard entered.status == 200 else { throw LabFault("the browser was not let in: \(entered)") }
    let page = try await get("/")
    guard let found = page.text.firstMatch(of: /name="token" value="([0-9a-f]+)"/) else { return }
    token = String(found.1)
  }

  /// Returns whether a process serves pages in the folder of a session.
  static func hasSocket(_ runtime: String) -> Bool {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: runtime)) ?? []
    return folders.contains { access("\(runtime)/\($0)/web.sock", F_OK) == 0 }
  }

  /// Asks for a page.
  func get(_ path: String, _ words: [String] = []) async throws -> Answer { try await curl(path, words) }

  /// Sends a form, with the token of the session and the origin of the pages.
  func form(_ path: String, _ fields: [String: String]) async throws -> Answer {
    try await post(path, fields.merging(["token": token]) { first, _ in first }, origin: "http://\(host)")
  }

  /// Sends fields.
  func post(
    _ path: String, _ fields: [String: String], origin: String?, _ words: [String] = []
  ) async throws -> Answer {
    let data = fields.sorted { $0.key < $1.key }.flatMap { ["--data-urlencode", "\($0.key)=\($0.value)"] }
    return try await curl(path, data + (origin.map { ["-H", "Origin: \($0)"] } ?? []) + words)
  }

  /// Follows the stream of changes; its text is in the file.
  func follow() throws -> (process: SpawnedProcess, output: String) {
    let output = lab.newPath() + ".stream"
    let process = try lab.spawn(
      "curl", ["-sN", "--noproxy", "*", "-b", jar, "http://\(host)/live"], output: output, talk: output + ".err")
    return (process, output)
  }

  private func curl(_ path: String, _ words: [String]) async throws -> Answer {
    let (body, head) = (lab.newPath(), lab.newPath())
    let made = try await lab.run(
      "curl",
      [
        "-s", "--noproxy", "*", "--path-as-is", "-b", jar, "-c", jar, "-o", body, "-D", head, "-w", "%{http_code}",
        "http://\(host)\(path)",
      ] + words)
    return Answer(status: Int(made.output) ?? 0, text: ProcessLab.read(body), headers: ProcessLab.read(head))
  }
}
