import Foundation
import Glibc
import LatchkeyModel
import Synchronization

/// One machine of the lab: network and mount namespaces, and the programs that run in them.
final class LanHost: Sendable {
  let lab: LanLab
  private let holder: SpawnedProcess
  /// Its port on the bridge is `p` and this number.
  let number: Int
  private let base: String
  private let daemons = Mutex((bus: SpawnedProcess?.none, avahi: SpawnedProcess?.none))

  init(lab: LanLab, holder: SpawnedProcess, number: Int, base: String) {
    self.lab = lab
    self.holder = holder
    self.number = number
    self.base = base
  }

  /// Runs shell commands on this machine and returns their output.
  @discardableResult
  func shell(_ script: String) async throws -> String { try await lab.shell(holder, script) }

  /// Runs a program on this machine as an ordinary user; returns its output.
  func run(_ program: String) async throws -> String {
    try await shell((Namespaces.asOrdinaryUser + [program]).joined(separator: " "))
  }

  /// The command that runs what follows on this machine as an ordinary user.
  private var launcher: [String] { LanLab.enter(holder) + Namespaces.asOrdinaryUser }

  /// Starts a program on this machine as an ordinary user; it ends with the lab at the latest.
  func spawn(_ command: [String], input: String = "/dev/null", output: String) throws -> SpawnedProcess {
    let all = launcher + command
    return try lab.processes.spawn(
      all[0], Array(all.dropFirst()), variables: Self.variables, input: input, output: output, talk: base + ".log")
  }

  /// Creates a node on this machine; it is not started.
  func node(_ role: DeviceRole, _ name: String) async throws -> NodeProcess {
    let node = try await lab.processes.node(role, name)
    await node.use(Self.variables, launcher: launcher, interfaces: nil)
    return node
  }

  /// Replaces the machine's addresses by an IPv4 address with prefix length.
  func address(_ address: String) async throws {
    try await shell("ip -4 address flush dev eth0; ip address add \(address) dev eth0")
  }

  /// Removes or connects the cable.
  func plug(_ isIn: Bool) async throws {
    try await lab.onWire("ip link set p\(number) \(isIn ? "up" : "down")")
  }

  /// Starts the bus, unless it runs, and avahi-daemon.
  func startDaemon() async throws {
    if daemons.withLock({ $0.bus == nil }) {
      let bus = try spawn(
        ["dbus-daemon", "--nofork", "--nopidfile", "--config-file", BuiltProgram.tools + "/lab-bus.conf"],
        output: "/dev/null")
      daemons.withLock { $0.bus = bus }
      try await waitFor("/run/dbus/system_bus_socket")
    }
    let configuration = """
      [server]
      host-name=telltale-\(number)
      use-ipv4=yes
      use-ipv6=yes
      allow-interfaces=eth0
      [publish]
      publish-hinfo=no
      publish-workstation=no
      """
    try configuration.write(toFile: base + ".avahi", atomically: true, encoding: .utf8)
    let avahi = try spawn(
      ["avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "--file", base + ".avahi"], output: "/dev/null")
    daemons.withLock { $0.avahi = avahi }
    try await waitFor("/run/avahi-daemon/socket")
  }

  /// Ends avahi-daemon; with `SIGKILL`, it sends no goodbye.
  func endDaemon(_ signal: Int32 = SIGTERM) async throws {
    let avahi = daemons.withLock { daemons in
      defer { daemons.avahi = nil }
      return daemons.avahi
    }
    avahi?.signal(signal)
    // Real time must pass, because no event shows that an avahi-daemon never looks at its signals,
    // as happens if its bus died at the wrong moment (Tools/with-avahi).
    let force = Task {
      try await Task.sleep(for: .seconds(5))
      avahi?.signal(SIGKILL)
    }
    _ = await avahi?.wait()
    force.cancel()
    try await shell("rm -f /run/avahi-daemon/*")
  }

  private func waitFor(_ socket: String) async throws {
    try await shell("n=0; until [ -S \(socket) ]; do n=$((n + 1)); [ $n -lt 500 ]; sleep 0.02; done")
  }

  private static let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket"]
}

extension LanHost {
  /// Starts a probe of discovery on this machine, waits for a line that it begins with, and returns
  /// the file of its output.
  func probe(_ arguments: String, _ line: String) async throws -> String {
    let output = lab.processes.newPath()
    let probe = BuiltProgram.path(of: "latchkey-discovery-probe")
    let process = try spawn(
      ["sh", "-c", "exec \(probe) \(arguments)"], output: output)
    try await eventually("the probe says “\(line)”") {
      guard process.isRunning else { throw LabFault("the probe ended: \(ProcessLab.read(output))") }
      return ProcessLab.read(output).contains(line)
    }
    return output
  }

  /// Delays every frame to and from this machine, with a relay between its cable and the bridge.
  func delay(milliseconds: Int) async throws { try await lab.delay(self, milliseconds: milliseconds) }
}
