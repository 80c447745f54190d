import Foundation

/// The steps that scenarios have in common.
extension LanLab {
  /// Drops mDNS between the bridge's ports, like an access point without multicast.
  func blockMulticast() async throws {
    try await onWire(
      """
      nft add table bridge lab
      nft add chain bridge lab out '{ type filter hook forward priority 0; }'
      nft add rule bridge lab out meta pkttype multicast udp dport 5353 drop
      """)
  }

  private static let browse = ["avahi-browse", "--resolve", "--parsable", "--no-db-lookup", "_latchkey._tcp"]

  /// Runs `avahi-browse` on a machine until the lab ends; returns its output file.
  func browse(_ host: LanHost) throws -> String {
    let output = processes.newPath()
    _ = try host.spawn(Self.browse, output: output)
    return output
  }

  /// Runs `avahi-browse` on a machine; returns the process, and the time until it printed a text.
  func browse(_ host: LanHost, until text: String) async throws -> (SpawnedProcess, Duration) {
    let output = processes.newPath()
    let begun = ContinuousClock.now
    let browser = try host.spawn(Self.browse, output: output)
    return (
      browser, try await wait("avahi-browse writes \(text)", since: begun) { ProcessLab.read(output).contains(text) }
    )
  }

  /// Sends a message, waits until the child has stored it, and records and returns the duration.
  @discardableResult
  func deliver(
    _ what: String, from parent: NodeProcess, to child: String, reach: Duration? = nil
  ) async throws -> Duration {
    let begun = ContinuousClock.now
    let id = try await parent.issue(.message(what), to: child)
    let command = try await parent.ended(id)
    try check(command.status == .executed, "\(what): the message came to its end so: \(command.status)")
    let taken = begun.duration(to: .now)
    // No measurement: by then nothing but a time-out that was waited for has brought it about.
    try check(taken < .seconds(40), "\(what): nothing was noticed before a time-out, \(Self.text(taken))")
    note(what, taken, reach: reach)
    return taken
  }

  /// The names that `avahi-browse` has resolved to an address of either kind.
  static func resolved(_ browser: String) -> Set<Substring> {
    Set(
      ProcessLab.read(browser).split(separator: "\n").filter { $0.hasPrefix("=;") }.map { $0.split(separator: ";")[3] })
  }

  /// Gives a message and waits as above, while an `avahi-browse` that has looked on all along
  /// resolves the name that a moved machine announces, to whichever of its new addresses it likes;
  /// notes both.
  func deliver(_ what: String, from parent: NodeProcess, to child: String, beside browser: String) async throws {
    let (begun, before) = (ContinuousClock.now, Self.resolved(browser))
    async let seen = wait("avahi-browse resolves a new name", since: begun) {
      !Self.resolved(browser).isSubset(of: before)
    }
    let taken = try await deliver(what, from: parent, to: child, reach: .seconds(3))
    compare("beside it", [taken], with: "avahi-browse sees the new address", [try await seen])
  }

  /// Waits until a value is available, and checks at intervals.
  func until<Value>(
    seconds: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value?
  ) async throws -> Value {
    let limit = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < limit {
      if let value = try await body() { return value }
      // Real time must pass, because the programs that are asked report no change of the value.
      try await Task.sleep(for: .milliseconds(500))
    }
    throw LabFault("What the scenario waits for was not there within \(seconds) s.")
  }

  /// Fails the scenario with a sentence unless a condition holds.
  func check(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    guard condition else { throw LabFault(sentence()) }
  }

  /// Puts a relay that delays every frame between a machine's cable and its bridge.
  func delay(_ host: LanHost, milliseconds: Int) async throws {
    let (port, near, far) = ("p\(host.number)", "n\(host.number)", "f\(host.number)")
    try await onWire(
      """
      ip link set \(port) nomaster
      ip link add \(near) type veth peer name \(far)
      ip link set \(near) up
      ip link set \(far) master \(Self.bridge) up
      """)
    try await relay(port, near, milliseconds: milliseconds)
  }
}
