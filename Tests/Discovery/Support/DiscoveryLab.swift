import Foundation
import Glibc
import Testing

/// A lab that runs a shell inside `Tools/with-avahi`, with probes beside it, and waits for the
/// lines that they write.
///
/// It cannot reach a real network: the shell's network has only loopback and what a test adds.
final class DiscoveryLab: Sendable {
  /// The programs with which the lab starts.
  enum Mode: String {
    case nothing
    case bus = "--bus"
    case daemon = "--daemon"
  }

  /// A line did not come.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private let process: Process
  private let input: FileHandle
  private let lines = LineLog()

  /// Starts the lab.
  init(_ mode: Mode) throws {
    process = Process()
    let commands = Pipe()
    let output = Pipe()
    process.executableURL = Self.tool
    process.arguments = (mode == .nothing ? [] : [mode.rawValue]) + ["sh"]
    process.environment = ProcessInfo.processInfo.environment.merging(["PROBE": Self.probe]) { _, new in new }
    process.standardInput = commands
    process.standardOutput = output
    process.standardError = output
    input = commands.fileHandleForWriting
    let lines = lines
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      lines.append(data)
    }
    try process.run()
  }

  deinit {
    try? input.close()
    // The process ID namespace goes with its first process, and everything in it. `unshare` holds
    // back every signal but this one until its child has ended, which a shell that waits for
    // something does not do.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Starts a probe, whose lines begin with its name.
  ///
  /// It runs as an ordinary user, unless it captures the network's packets.
  ///
  /// - Parameters:
  ///   - name: One or two letters.
  ///   - arguments: The arguments of the probe.
  ///   - prefix: A command that runs the probe, such as `ip netns exec b`.
  /// - Throws: The system's error if the probe cannot be started.
  func probe(_ name: String, _ arguments: String, under prefix: String = "") throws {
    // A packet socket takes a right that no node has.
    let user = arguments.hasPrefix("capture") ? "" : "with-avahi-user"
    try shell(
      """
      mkfifo $WITH_AVAHI_DIR/\(name).in
      # Held open for writing, or the first order's end would be the end of the input.
      sleep infinity <> $WITH_AVAHI_DIR/\(name).in &
      while ! ls -l /proc/$!/fd 2> /dev/null | grep -q /\(name).in; do sleep 0.01; done
      sh -c 'echo $$ > $WITH_AVAHI_DIR/\(name).pid; exec \(prefix) \(user) "$PROBE" \(arguments)' \
        < $WITH_AVAHI_DIR/\(name).in 2>&1 | sed -u 's/^/\(name)> /' &
      """)
  }

  /// Sends an order to a probe.
  func order(_ name: String, _ order: String) throws {
    try shell("echo '\(order)' > $WITH_AVAHI_DIR/\(name).in")
  }

  /// Runs shell commands without waiting for them.
  func shell(_ commands: String) throws {
    try input.write(contentsOf: Data((commands + "\n").utf8))
  }

  /// Runs shell commands and waits for their end.
  ///
  /// - Returns: the lines they wrote.
  @discardableResult
  func run(_ commands: String) async throws -> [String] {
    let mark = "mark-\(UInt32.random(in: .min ... .max))"
    try shell("{ \(commands)\n} 2>&1 | sed -u 's/^/\(mark)> /'; echo '\(mark)> 'end")
    let (_, passed) = try await wait(mark) { $0 == "end" }
    return passed
  }

  /// Waits for a probe's next line that begins so; the lines before it are passed over.
  ///
  /// - Returns: the line, and the lines that were passed over.
  @discardableResult
  func expect(
    _ name: String, _ beginning: String, containing parts: [String] = []
  ) async throws -> (line: String, passed: [String]) {
    try await wait(name) { line in line.hasPrefix(beginning) && parts.allSatisfy { line.contains($0) } }
  }

  /// All that a probe has written so far.
  func all(_ name: String) -> [String] {
    lines.all(name)
  }

  private func wait(
    _ name: String, _ matches: @escaping @Sendable (String) -> Bool
  ) async throws -> (line: String, passed: [String]) {
    // Real time must pass, because a line that never comes is no event: the test fails then instead
    // of hanging.
    let limit = Task { [lines] in
      try await Task.sleep(for: .seconds(20))
      lines.giveUp(name)
    }
    defer { limit.cancel() }
    guard let found = await lines.next(name, matches) else {
      // Shows who is in the multicast group, whether a socket has lost packets, and what the daemon
      // said.
      if !name.hasPrefix("mark-") {
        _ = try? await run("cat /proc/net/igmp /proc/net/udp; tail -n 5 $WITH_AVAHI_DIR/avahi.log")
      }
      throw Missing(description: "\(name) did not write the expected line. All lines:\n" + lines.everything())
    }
    return found
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let tool = folder.appendingPathComponent("Tools/with-avahi")

  /// The probe is built beside the tests.
  private static let probe: String = {
    var path = [CChar](repeating: 0, count: 4096)
    readlink("/proc/self/exe", &path, path.count - 1)
    let tests = path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return URL(fileURLWithPath: String(decoding: tests, as: UTF8.self)).deletingLastPathComponent()
      .appendingPathComponent("latchkey-discovery-probe").path
  }()

  /// The reason why the lab cannot be used here; `nil` if it can.
  static let obstacle: String? = {
    let process = Process()
    let output = Pipe()
    process.executableURL = tool
    process.arguments = ["--daemon", "true"]
    process.standardOutput = output
    process.standardError = output
    guard (try? process.run()) != nil else { return "Tools/with-avahi cannot be run" }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : text.split(separator: "\n").last.map(String.init) ?? "unknown reason"
  }()

  /// Skips a test, with the reason in its output, where no network namespace can be made.
  static var isUsable: ConditionTrait {
    .enabled(if: obstacle == nil, "skipped: \(obstacle ?? "")")
  }
}

extension DiscoveryLab {
  /// Waits until a probe has written a line that begins so, before or after the last line that was
  /// waited for.
  func expectAmongAll(_ name: String, _ beginning: String) async throws {
    if all(name).contains(where: { $0.hasPrefix(beginning) }) { return }
    try await expect(name, beginning)
  }
}
