import Foundation
import Glibc
import LatchkeyModel

/// A real file system in a mount namespace of its own, which ends with the process that holds it.
struct SmallDisk: Sendable {
  let lab: ProcessLab
  /// The mount point within the namespace.
  let path: String
  private let holder: SpawnedProcess

  /// The command that runs what follows where the disk is seen, with the right to mount.
  private var enter: [String] { Namespaces.enter(holder, "--mount") }
  /// The same place as this process sees it.
  var outside: String { "/proc/\(holder.pid)/root\(path)" }

  /// Creates a disk with shell commands, which find its path in `$disk`.
  ///
  /// - Returns: `nil`, with a word on standard output, where this user or this kernel may not mount
  ///   anything.
  static func make(_ lab: ProcessLab, _ commands: String) async throws -> SmallDisk? {
    let path = lab.newPath()
    mkdir(path, 0o700)
    let command = Namespaces.make("--mount")
    let holder = try lab.spawn(
      command[0],
      command.dropFirst() + ["sh", "-c", "set -e; disk=\(path); \(commands); echo ready; exec sleep infinity"],
      output: path + ".out", talk: path + ".err")
    try await eventually("the disk is mounted") { !holder.isRunning || ProcessLab.read(path + ".out") == "ready\n" }
    guard holder.isRunning else {
      let reason = ProcessLab.read(path + ".err").split(separator: "\n").last ?? "no reason given"
      print("SmallDisk: no file system can be mounted here, so this is not tested (\(reason)).")
      return nil
    }
    return SmallDisk(lab: lab, path: path, holder: holder)
  }

  /// Some MiB of memory.
  static func memory(_ lab: ProcessLab, mebibytes: Int) async throws -> SmallDisk? {
    try await make(lab, "mount -t tmpfs -o size=\(mebibytes)m none $disk")
  }

  /// Runs shell commands, which find the disk's path in `$disk`.
  @discardableResult func run(_ commands: String) async throws -> CommandResult {
    try await lab.run(enter[0], enter.dropFirst() + ["sh", "-c", "set -e; disk=\(path); \(commands)"])
  }

  /// Creates a node whose state folder is on it.
  func node(_ role: DeviceRole, _ name: String) async throws -> NodeProcess {
    let node = NodeProcess(lab: lab, folder: path + "/state", outside: outside + "/state", name: name)
    await node.use([:], launcher: enter + Namespaces.asOrdinaryUser)
    if lab.hasAgents, role == .child { await node.enforce() }
    let made = try await node.latchkey(["init", "--role", role.rawValue, "--name", name])
    guard made.status == 0 else { throw LabFault("init failed: \(made)") }
    return node
  }

  /// Fills the disk completely.
  func fill() throws {
    let file = open(outside + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw LabFault("The disk cannot be filled.") }
    defer { close(file) }
    for size in [65_536, 4_096, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while write(file, bytes, size) > 0 {}
    }
  }

  /// Releases the space that `fill` took.
  func makeRoom() { unlink(outside + "/filler") }
}
