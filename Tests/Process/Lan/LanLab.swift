import Foundation
import Glibc
import Synchronization

/// A house full of machines: network namespaces on bridges, with avahi-daemons, and real nodes in
/// them.
///
/// Nothing in it reaches the machine's own networks. The only right it needs is to create a user
/// namespace; see `Namespaces`.
final class LanLab: Sendable {
  let processes: ProcessLab
  /// Holds the namespaces that the bridges are in.
  private let wire: SpawnedProcess
  private let state = Mutex((hosts: 0, figures: [String](), hasMissed: false))

  /// The bridge that hosts are put on unless a scenario says otherwise.
  static let bridge = "lan"

  /// Runs `body` with a lab, whose processes end with it.
  static func run<Value>(_ body: (LanLab) async throws -> Value) async throws -> Value {
    try await ProcessLab.run { processes in
      let lab = try LanLab(processes)
      try await lab.prepare()
      return try await body(lab)
    }
  }

  private init(_ processes: ProcessLab) throws {
    self.processes = processes
    let command = Namespaces.make("--net", "--mount") + ["sh", "-c", Self.wireScript]
    wire = try processes.spawn(
      command[0], Array(command.dropFirst()), output: processes.folder + "/wire.out",
      talk: processes.folder + "/wire.log")
  }

  private func prepare() async throws {
    try await ready(wire, processes.folder + "/wire")
    try await addBridge(Self.bridge)
  }

  /// The figures of the scenario, in order.
  var figures: [String] { state.withLock { $0.figures } }

  /// Records a figure for the table.
  func note(_ figure: String) { state.withLock { $0.figures.append(figure) } }

  /// Records the medians of a duration and of the same for a peer.
  func compare(_ what: String, _ ours: [Duration], with peer: String, _ theirs: [Duration], reach: Double? = nil) {
    let (our, their) = (Self.median(ours), Self.median(theirs))
    let ratio = our / their
    let verdict = reach.map { judged(String(format: "%.1f ×", $0), ratio <= $0) } ?? ""
    note("\(what) \(Self.text(our)), \(peer) \(Self.text(their)): \(String(format: "%.2f ×", ratio))\(verdict)")
  }

  /// Records a duration, and whether it exceeded `reach`.
  func note(_ what: String, _ duration: Duration, reach: Duration?) {
    note("\(what) \(Self.text(duration))\(reach.map { judged(Self.text($0), duration <= $0) } ?? "")")
  }

  /// A Boolean value that indicates whether a figure missed its target.
  ///
  /// The test does not fail then, since figures depend on the machine.
  var hasMissed: Bool { state.withLock { $0.hasMissed } }

  private func judged(_ reach: String, _ isMet: Bool) -> String {
    if !isMet { state.withLock { $0.hasMissed = true } }
    return " (reach \(reach): \(isMet ? "yes" : "NO"))"
  }

  /// The value in the middle of an odd number of them.
  static func median(_ values: [Duration]) -> Duration { values.sorted()[values.count / 2] }

  /// A figure in words.
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    return milliseconds < 1_000 ? "\(milliseconds) ms" : String(format: "%.2f s", Double(milliseconds) / 1_000)
  }

  /// Waits for a condition, and records and returns the time since `begun`.
  @discardableResult
  func time(
    _ what: String, since begun: ContinuousClock.Instant = .now, seconds: Int = 60, reach: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
  ) async throws -> Duration {
    let duration = try await wait(what, since: begun, seconds: seconds, condition)
    note(what, duration, reach: reach)
    return duration
  }

  /// Waits for a condition and returns the time since `begun`.
  func wait(
    _ what: String, since begun: ContinuousClock.Instant = .now, seconds: Int = 60,
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
  ) async throws -> Duration {
    // Not a measurement: only so that what never comes is a failure and not a hang.
    let limit = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < limit {
      if try await condition() { return begun.duration(to: .now) }
      // Real time must pass, because the programs that are asked report no change of the condition.
      try await Task.sleep(for: .milliseconds(5))
    }
    throw LabFault("It never came to this: \(what).")
  }

  /// The command that runs what follows on a machine of the lab, with the right to change its
  /// network.
  static func enter(_ holder: SpawnedProcess) -> [String] { Namespaces.enter(holder, "--net", "--mount") }

  /// Runs shell commands in the bridges' namespace and returns their output.
  @discardableResult
  func onWire(_ script: String) async throws -> String { try await shell(wire, script) }

  /// Carry frames between two interfaces of where the bridges are, each after a while.
  func relay(_ one: String, _ other: String, milliseconds: Int) async throws {
    let output = processes.newPath()
    let probe = BuiltProgram.path(of: "latchkey-discovery-probe")
    let process = try processes.spawn(
      "nsenter", Self.enter(wire).dropFirst() + [probe, "relay", one, other, "\(milliseconds)"], output: output,
      talk: processes.folder + "/wire.log")
    try await eventually("a relay carries") {
      guard process.isRunning else { throw LabFault("the relay ended: \(ProcessLab.read(output))") }
      return ProcessLab.read(output).contains("relaying")
    }
  }

  /// Runs shell commands in a holder's namespaces; returns their output.
  func shell(_ holder: SpawnedProcess, _ script: String) async throws -> String {
    let result = try await processes.run("nsenter", Self.enter(holder).dropFirst() + ["sh", "-e", "-c", script])
    guard result.status == 0 else { throw LabFault("`\(script)` failed: \(result)") }
    return result.output
  }

  /// Adds a network that hosts can be put on.
  func addBridge(_ name: String) async throws {
    try await onWire("ip link add \(name) type bridge mcast_snooping 0; ip link set \(name) up")
  }

  /// Adds a machine with an address and prefix length, or only IPv6 if `nil`; `hasDaemon` runs
  /// avahi-daemon there.
  func host(
    _ address: String?, on bridge: String = LanLab.bridge, hasDaemon: Bool = true
  ) async throws -> LanHost {
    let number = state.withLock { state in
      state.hosts += 1
      return state.hosts
    }
    let base = processes.folder + "/host\(number)"
    let holder = try processes.spawn(
      "nsenter", Self.enter(wire).dropFirst() + ["unshare", "--net", "--mount", "sh", "-c", Self.hostScript],
      output: base + ".out", talk: base + ".log")
    try await ready(holder, base)
    let host = LanHost(lab: self, holder: holder, number: number, base: base)
    try await onWire(
      """
      ip link add p\(number) type veth peer name eth0 netns \(holder.pid)
      ip link set p\(number) master \(bridge) up
      """)
    try await host.shell("ip link set eth0 up")
    if let address { try await host.address(address) }
    if hasDaemon { try await host.startDaemon() }
    return host
  }

  /// Adds machines `first`, `first` + 1, … of the first network.
  func hosts(_ count: Int, from first: Int = 1, hasDaemon: Bool = true) async throws -> [LanHost] {
    var hosts: [LanHost] = []
    for number in first..<first + count {
      hosts.append(try await host("10.77.0.\(number)/16", hasDaemon: hasDaemon))
    }
    return hosts
  }

  /// Runs a parent on the first host and a child on each other one, pairs them, and returns when
  /// all are connected.
  ///
  /// - Parameters:
  ///   - hosts: The hosts.
  ///   - tries: The number of times that a person enters a code whose connection broke, as happens
  ///     on a lossy network.
  /// - Returns: The nodes, which are connected.
  /// - Throws: The failure of the first step that did not succeed.
  func family(_ hosts: [LanHost], tries: Int = 1) async throws -> (parent: NodeProcess, children: [NodeProcess]) {
    let parent = try await hosts[0].node(.parent, "Kitchen laptop")
    try await parent.start([])
    var children: [NodeProcess] = []
    for (number, host) in hosts.dropFirst().enumerated() {
      let child = try await host.node(.child, "Child \(number + 1)")
      try await child.start([])
      try await pair(parent, child, tries: tries)
      children.append(child)
    }
    return (parent, children)
  }

  private func pair(_ parent: NodeProcess, _ child: NodeProcess, tries: Int) async throws {
    for left in (0..<tries).reversed() {
      let progress = try await processes.join(child, try await processes.code(from: parent))
      if progress.outcome == .ok { break }
      try check(progress.outcome == .network && left > 0, "the pairing ended so: \(progress)")
      note("a pairing broke off, and was begun again")
    }
    try await eventually("\(child.name) is connected") { try await child.isConnected() }
  }

  private func ready(_ process: SpawnedProcess, _ base: String) async throws {
    try await eventually("a namespace is made") {
      guard process.isRunning else { throw LabFault("no namespace can be made: \(ProcessLab.read(base + ".log"))") }
      return ProcessLab.read(base + ".out").contains("ready")
    }
  }

  /// The reason why a lab cannot be created here and the next step; `nil` if it can.
  static let obstacle: String? = {
    for (program, package) in [
      ("unshare", "util-linux"), ("ip", "iproute2"), ("nft", "nftables"), ("dbus-daemon", "dbus"),
      ("avahi-daemon", "avahi-daemon"), ("avahi-browse", "avahi-utils"),
    ] where !["/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"].contains(where: { access($0 + program, X_OK) == 0 }) {
      return "\(program) is missing; install it with: sudo apt-get install \(package)"
    }
    return Namespaces.obstacle(
      "--net", "--mount",
      script: "ip link add lan type bridge; ip link add cable type veth peer name end; mount -t tmpfs tmpfs /run")
  }()

  private static let wireScript = """
    set -e
    mount -t tmpfs -o mode=755 tmpfs /run
    \(Namespaces.namesForAvahi)
    echo ready
    exec sleep infinity
    """

  private static let hostScript = """
    set -e
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir -p /run/dbus /run/avahi-daemon
    ip link set lo up
    echo ready
    exec sleep infinity
    """
}
