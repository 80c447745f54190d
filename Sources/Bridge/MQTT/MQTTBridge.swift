import LatchkeyModel
import LatchkeyNode

/// The bridge to an MQTT broker, for Home Assistant.
///
/// Spec: Protocol/14-bridge.md §4.
public struct MQTTBridge: BridgeKind {
  public static let kind = ReceiverKind.mqtt

  /// The names of the settings that `latchkey receivers add mqtt` writes.
  public enum Setting {
    public static let host = "host"
    public static let port = "port"
    public static let username = "username"
    public static let authorities = "ca"
    /// `yes` or `no`.
    public static let encrypted = "tls"
    /// The rights, with commas between.
    public static let rights = "may"
    public static let password = "password"
    /// The name of the bridge in topics.
    public static let bridge = "bridge"
  }

  /// Returns the name in topics of the bridge of a node's receiver.
  public static func name(of receiver: String, at node: DeviceID) -> String { HomeTopics.bridge(node, receiver) }

  /// The shortest and the longest pause before a new attempt, and the length of a connection that
  /// resets the pause, in seconds.
  private static let (shortestPause, longestPause, steadyTime): (Int64, Int64, Int64) = (1, 60, 60)
  /// The time in which a broker has to deliver what the bridge publishes to itself.
  private static let echoTime = Duration.seconds(10)
  /// The time in which `clear` must remove the topics from the broker.
  private static let clearTime = Duration.seconds(30)
  /// The time for other bridges to take over the children of a receiver that was removed.
  private static let takeOverTime = Duration.seconds(15)
  /// The time for a farewell to the broker.
  private static let leaveTime = Duration.seconds(2)
  /// The largest number of presses that wait for the node.
  private static let mostPresses = 64

  let server: MQTTServer
  /// The name of the bridge in topics.
  private let own: String
  private let rights: [ReceiverRight]

  public init(_ settings: BridgeSettings) throws(BridgeFault) {
    guard let port = UInt16(try settings.value(Setting.port)), port > 0 else {
      throw BridgeFault("The broker's port is wrong: set the receiver up anew with `latchkey receivers add mqtt`.")
    }
    server = MQTTServer(
      host: try settings.value(Setting.host), port: port, username: settings.values[Setting.username],
      password: settings.secrets[Setting.password], authorities: settings.values[Setting.authorities],
      isEncrypted: settings.values[Setting.encrypted] != "no")
    own = try settings.value(Setting.bridge)
    guard HomeTopics.isName(own) else {
      throw BridgeFault("The bridge's name is wrong: set the receiver up anew with `latchkey receivers add mqtt`.")
    }
    rights = (settings.values[Setting.rights] ?? "").split(separator: ",").compactMap {
      ReceiverRight(rawValue: "\($0)")
    }
  }

  public func run(_ bridge: Bridge) async throws {
    guard MosquittoLibrary.shared != nil else { throw BridgeFault(MQTTFault.noLibrary.sentence(server)) }
    let service = HomeService(bridge, own: own, rights: rights)
    let (presses, pressed) = AsyncStream<(child: String, press: Press.Read)>.makeStream(
      bufferingPolicy: .bufferingOldest(Self.mostPresses))
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await bridge.follow { try await service.look() } }
      group.addTask { for await (child, press) in presses { await service.carryOut(press, for: child) } }
      group.addTask {
        try await connect(service, bridge) { press in
          if case .dropped = pressed.yield(press) { false } else { true }
        }
      }
      // The first task to end ends all: the receiver is unknown, or the bridge is cancelled.
      try await group.next()
    }
  }

  /// Removes from the broker everything that the bridge of a receiver has left there about some
  /// children.
  ///
  /// The receiver has been removed, and its bridge does not run.
  ///
  /// - Throws: `BridgeFault` if the broker cannot be reached.
  public func clear(_ bridge: Bridge, of children: [ChildID] = []) async throws(BridgeFault) {
    let service = HomeService(bridge, own: own, rights: [])
    let connection: MQTTConnection
    do { connection = try MQTTConnection(server, name: service.clientName, will: nil) } catch {
      throw BridgeFault(error.sentence(server))
    }
    let limit = Task {
      try await Task.sleep(for: Self.clearTime)
      connection.end(.unreadable)
    }
    var patience: Task<Void, any Error>?
    defer {
      limit.cancel()
      patience?.cancel()
    }
    for await event in connection.events {
      switch event {
      case .connected: await service.start(connection)
      case .message(let message):
        _ = await service.take(message)
        guard await service.isComplete(connection) else { continue }
        if patience == nil {
          await service.offer(Set(children.map(HomeTopics.child)))
          patience = Task {
            try await Task.sleep(for: Self.takeOverTime)
            await service.clear()
          }
        }
        if await service.isTakenOver { await service.clear() }
      }
    }
    if await !service.isCleared { throw BridgeFault((connection.fault ?? .lost).sentence(server)) }
  }

  private func connect(
    _ service: HomeService, _ bridge: Bridge, _ press: @escaping @Sendable ((child: String, press: Press.Read)) -> Bool
  ) async throws {
    var pause = Self.shortestPause
    while !Task.isCancelled {
      let began = ContinuousClock.now
      var fault: MQTTFault?
      do {
        let connection = try MQTTConnection(server, name: service.clientName, will: service.will)
        fault = await use(connection, service, bridge, press)
      } catch { fault = error }
      if Task.isCancelled { return }
      if began.duration(to: .now) > .seconds(Self.steadyTime) { pause = Self.shortestPause }
      await bridge.report((fault ?? .lost).sentence(server))
      // The random part keeps bridges that lost their broker at the same time from returning at the
      // same time.
      try await Task.sleep(for: .milliseconds(pause * 1_000 + Int64.random(in: 0..<500 * pause)))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Uses a connection to its end, and returns the fault that ended it.
  private func use(
    _ connection: MQTTConnection, _ service: HomeService, _ bridge: Bridge,
    _ press: @Sendable ((child: String, press: Press.Read)) -> Bool
  ) async -> MQTTFault? {
    var watch: Task<Void, any Error>?
    defer { watch?.cancel() }
    for await event in connection.events {
      switch event {
      case .connected:
        watch = Task {
          try await Task.sleep(for: Self.echoTime)
          if await !service.isComplete(connection) { connection.end(.unreadable) }
        }
        await service.start(connection)
      case .message(let message):
        let wasComplete = watch == nil
        if let pressed = await service.take(message), !press(pressed) { await service.refuseFlood(of: pressed.child) }
        if !wasComplete, await service.isComplete(connection) {
          watch?.cancel()
          watch = nil
          // The notices that were not told without a connection are told now.
          bridge.lookAgain()
        }
      }
    }
    if Task.isCancelled { await leave(connection, service) }
    await service.stop(connection)
    return connection.fault
  }

  /// Says farewell to the broker, for a short time, in tasks that are not cancelled with this one.
  private func leave(_ connection: MQTTConnection, _ service: HomeService) async {
    let limit = Task.detached {
      try await Task.sleep(for: Self.leaveTime)
      connection.end(nil)
    }
    await Task.detached { await service.leave() }.value
    limit.cancel()
  }
}
