import Foundation
import LatchkeyCommands
import LatchkeyModel
import LatchkeyNode

/// A real `latchkey run` with its own state folder, which is used through its local API like from
/// the command line.
final class NodeProcess {
  let folder: String
  let client: ControlClient
  private let process: Process
  private let log: FileHandle

  /// Creates a node in `folder`, which must not exist, with the program `tool`, and returns when it
  /// answers.
  static func start(
    tool: String, folder: String, role: DeviceRole, name: String, options: [String], hasAgent: Bool = false
  ) async throws -> NodeProcess {
    _ = try await NodeFolder.initialise(StateFolder(path: folder), role: role, name: name)
    let process = Process()
    let log = try run(process, tool: tool, folder: folder, options: hasAgent ? options : options + ["--no-agent"])
    let deadline = Durations.now() + 20_000_000
    while true {
      do {
        return NodeProcess(folder, try await ControlClient.open(stateFolder: folder), process, log)
      } catch {
        guard Durations.now() < deadline, process.isRunning else {
          process.terminate()
          throw BenchFault("A node did not start: \(error.description)")
        }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  /// Starts `latchkey run` on a child's folder that exists, without mDNS and agent.
  ///
  /// It does not wait until the node answers.
  static func resume(tool: String, folder: String) throws -> Process {
    let process = Process()
    _ = try run(process, tool: tool, folder: folder, options: ["--no-discovery", "--no-agent"])
    return process
  }

  private init(_ folder: String, _ client: ControlClient, _ process: Process, _ log: FileHandle) {
    self.folder = folder
    self.client = client
    self.process = process
    self.log = log
  }

  private static func run(_ process: Process, tool: String, folder: String, options: [String]) throws -> FileHandle {
    let path = folder + ".log"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    guard let log = FileHandle(forWritingAtPath: path) else { throw BenchFault("\(path) cannot be written.") }
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments =
      ["run", "--state-dir", folder, "--interfaces", "lo", "--log-format", "json"] + options
    process.standardError = log
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return log
  }

  /// The process ID, for the kernel's counts.
  var id: Int32 { process.processIdentifier }

  /// Returns the address at which the node listens, for `--peer`.
  func address() async throws -> String {
    guard let address = try await client.ask(Endpoints.getStatus).listening.first else {
      throw BenchFault("A node listens nowhere.")
    }
    return address
  }

  func residentBytes() async throws -> Int64 { try await client.ask(Endpoints.getStatus).residentBytes }

  /// Returns the log.
  func words() -> String { (try? String(contentsOfFile: folder + ".log", encoding: .utf8)) ?? "" }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? log.close()
  }
}
