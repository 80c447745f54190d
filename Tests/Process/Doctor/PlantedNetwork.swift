import Foundation
import Glibc
import LatchkeyCommands
import LatchkeyModel

/// A network namespace with loopback, one interface that resembles a LAN, and an empty /run, in
/// which to plant faults.
struct PlantedNetwork: Sendable {
  let lab: ProcessLab
  /// A folder that is a small disk of its own, if that was asked for.
  let disk: String
  private let holder: SpawnedProcess

  /// The command that runs what follows in it, with the right to change it.
  private var enter: [String] { Namespaces.enter(holder, "--net", "--mount") }
  /// The command that runs what follows in it as an ordinary user.
  var launcher: [String] { enter + Namespaces.asOrdinaryUser }

  /// Creates a network, with 8 MiB of memory mounted at `disk` if requested; `nil`, with a note on
  /// standard output, if this user is not permitted to.
  static func make(_ lab: ProcessLab, hasDisk: Bool = false) async throws -> PlantedNetwork? {
    let path = lab.newPath()
    mkdir(path, 0o700)
    let mount = hasDisk ? "mount -t tmpfs -o size=8m none \(path);" : ""
    let command = Namespaces.make("--net", "--mount")
    let holder = try lab.spawn(
      command[0],
      command.dropFirst() + [
        "sh", "-c",
        """
        set -e; mount -t tmpfs none /run
        \(Namespaces.namesForAvahi)
        \(mount) ip link set lo up; ip link set lo multicast on
        ip link add lan0 type veth peer name plug; ip link set plug addrgenmode none up
        ip address add 192.168.77.5/24 dev lan0; ip link set lan0 up
        echo ready; exec sleep infinity
        """,
      ], output: path + ".out", talk: path + ".err")
    try await eventually("the namespace is there") { !holder.isRunning || ProcessLab.read(path + ".out") == "ready\n" }
    guard holder.isRunning else {
      let reason = ProcessLab.read(path + ".err").split(separator: "\n").last ?? "no reason given"
      print("PlantedNetwork: no network namespace can be made here, so this is not tested (\(reason)).")
      return nil
    }
    return PlantedNetwork(lab: lab, disk: path, holder: holder)
  }

  /// Runs shell commands in the network.
  func run(_ commands: String) async throws {
    let result = try await lab.run(enter[0], enter.dropFirst() + ["sh", "-ec", commands])
    guard result.status == 0 else { throw LabFault("\(commands): \(result)") }
  }

  /// Leaves a program running in it as an ordinary user, and waits for its first line.
  func leave(_ program: [String]) async throws {
    let base = lab.newPath()
    let process = try lab.spawn(
      launcher[0], launcher.dropFirst() + program, output: base + ".out", talk: base + ".err")
    try await eventually("\(program[0]) is ready") {
      guard process.isRunning else { throw LabFault("\(program): \(ProcessLab.read(base + ".err"))") }
      return ProcessLab.read(base + ".out").contains("\n")
    }
  }

  /// Runs avahi-daemon in the network, without a bus.
  func startAvahi() async throws -> SpawnedProcess {
    let base = lab.newPath()
    try "[server]\nenable-dbus=no\n".write(toFile: base + ".conf", atomically: true, encoding: .utf8)
    let avahi = try lab.spawn(
      launcher[0],
      launcher.dropFirst() + [
        "sh", "-c",
        "mkdir -p /run/avahi-daemon; exec avahi-daemon --no-drop-root --no-chroot --no-rlimits --file \(base).conf",
      ], output: "/dev/null", talk: base + ".log")
    try await eventually("avahi-daemon has started") {
      guard avahi.isRunning else { throw LabFault("avahi-daemon ended: \(ProcessLab.read(base + ".log"))") }
      return access("/proc/\(holder.pid)/root/run/avahi-daemon/socket", F_OK) == 0
    }
    return avahi
  }

  /// Creates a node in the network, which is not started.
  func node(
    _ role: DeviceRole, _ name: String, onDisk: Bool = false, variables: [String: String] = [:],
    interfaces: String = "lo,lan0"
  ) async throws -> NodeProcess {
    let node =
      onDisk
      ? NodeProcess(lab: lab, folder: disk + "/state", outside: "/proc/\(holder.pid)/root\(disk)/state", name: name)
      : NodeProcess(lab: lab, folder: lab.newPath(), name: name)
    await node.use(variables, launcher: launcher, interfaces: interfaces)
    let made = try await node.latchkey(["init", "--role", role.rawValue, "--name", name])
    guard made.status == 0 else { throw LabFault("init failed: \(made)") }
    return node
  }

  /// Examines a node's machine with `latchkey doctor`; `asRoot` permits it to read what only root
  /// may, such as firewall rules.
  func examine(
    _ node: NodeProcess, asRoot: Bool = false, _ arguments: String...
  ) async throws -> (findings: [Finding], status: Int32) {
    let arguments = ["doctor", "--format", "json"] + arguments
    let result =
      asRoot
      ? try await lab.run(
        enter[0], enter.dropFirst() + [BuiltProgram.path] + arguments + ["--state-dir", node.folder],
        variables: await node.environment)
      : try await node.latchkey(arguments)
    return (try result.decode(Examination.self).findings, result.status)
  }
}
