import Dispatch
import Glibc
import Synchronization

/// The notification service of a desktop session.
///
/// Its connection is made anew after the bus was restarted. Until then, calls fail.
public final class NotificationService: Sendable {
  public enum Event: Hashable, Sendable {
    /// A person has pressed a button of a notification, or the notification itself: `default`.
    case pressed(NotificationID, action: String)
    /// A notification is no longer shown.
    case closed(NotificationID)
    /// Another service has taken the place of the one before, whose notifications are gone.
    case replaced(by: Int)
    /// The bus has been gone for a minute, as after the end of the session.
    case lost
  }

  /// The service that has a session's notifications.
  public struct Owner: Hashable, Sendable {
    /// Its name on the bus, which no other service of the session gets.
    public var name: String
    /// Its number among those that this connection has seen.
    public var generation: Int

    public init(name: String, generation: Int) { (self.name, self.generation) = (name, generation) }
  }

  private struct State {
    var bus: NotificationBus?
    /// The generation of the next connection's service.
    var generation = 0
    /// When the connection ended, by the boot clock in milliseconds.
    var endedAt: Int64 = 0
  }

  /// The pause between two attempts to connect, in milliseconds.
  private static let pauseMilliseconds: Int32 = 500
  /// The time without a bus after which the session is taken to be over, in milliseconds.
  private static let patienceMilliseconds: Int64 = 60_000

  private let address: String
  private let state: Mutex<State>
  /// What happens, for one reader.
  public let events: AsyncStream<Event>
  private let reporter: AsyncStream<Event>.Continuation
  /// The end of a pair of sockets by which the thread that watches the bus is woken.
  private let bell: Int32

  /// Connects to the service of a session with these environment variables.
  ///
  /// - Throws: `NotificationFault` if there is none.
  public init(_ variables: [String: String]) throws(NotificationFault) {
    address =
      variables["DBUS_SESSION_BUS_ADDRESS"]
      ?? "unix:path=\(variables["XDG_RUNTIME_DIR"] ?? "/run/user/\(getuid())")/bus"
    (events, reporter) = AsyncStream.makeStream()
    var pair: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair)
    let heard = pair[0]
    bell = pair[1]
    state = Mutex(State())
    _ = state.withLock { connect(&$0) }
    do { _ = try capabilities() } catch {
      close(heard)
      throw error
    }
    DispatchQueue(label: "notifications").async { [weak self] in
      // Nothing holds the service while this waits, so that it can be released.
      while let descriptor = self?.look() {
        var polled = [heard, descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, 2, descriptor < 0 ? Self.pauseMilliseconds : -1)
        var bytes = [UInt8](repeating: 0, count: 64)
        read(heard, &bytes, bytes.count)
      }
      close(heard)
    }
  }

  deinit { close(bell) }

  private func ring() { send(bell, [0], 1, Int32(MSG_NOSIGNAL)) }

  private func connect(_ state: inout State) -> Bool {
    state.bus = NotificationBus(address: address, generation: state.generation) { [reporter] in reporter.yield($0) }
    return state.bus != nil
  }

  /// Hands on what has happened, or connects anew; returns the descriptor to wait for, or −1.
  private func look() -> Int32 {
    state.withLock { state in
      if let bus = state.bus {
        if bus.process() { return bus.descriptor }
        state = State(bus: nil, generation: bus.generation + 1, endedAt: SystemClock.boot.milliseconds)
      }
      if connect(&state) {
        reporter.yield(.replaced(by: state.generation))
        return state.bus?.descriptor ?? -1
      }
      if SystemClock.boot.milliseconds - state.endedAt > Self.patienceMilliseconds { reporter.yield(.lost) }
      return -1
    }
  }

  /// Uses the connection, and has it looked after if it has ended.
  private func use<Value: Sendable>(
    _ body: @Sendable (NotificationBus) throws(NotificationFault) -> Value
  ) throws(NotificationFault) -> Value {
    defer { ring() }
    return try state.withLock { state throws(NotificationFault) in
      guard let bus = state.bus else { throw NotificationFault(reason: "there is no session bus") }
      return try body(bus)
    }
  }

  /// Returns what the service is capable of, such as `actions` and `body-markup`.
  public func capabilities() throws(NotificationFault) -> Set<String> {
    try use { bus throws(NotificationFault) in try bus.capabilities() }
  }

  /// Shows a notification, in the place of another one that is still shown, and returns its ID.
  public func show(
    _ notification: DesktopNotification, replacing old: NotificationID? = nil
  ) throws(NotificationFault) -> NotificationID {
    try use { bus throws(NotificationFault) in try bus.show(notification, replacing: old) }
  }

  /// Returns the service that shows notifications at present; `nil` if there is none.
  public func owner() -> Owner? { try? use { bus throws(NotificationFault) in try bus.owner() } }

  /// Withdraws a notification, if it is still shown.
  public func withdraw(_ notification: NotificationID) {
    try? use { bus throws(NotificationFault) in bus.close(notification) }
  }
}

/// A notification as a desktop shows it.
public struct DesktopNotification: Hashable, Sendable {
  public struct Action: Hashable, Sendable {
    /// Its name in events; `default` for the notification itself.
    public var key: String
    public var label: String

    public init(_ key: String, _ label: String) { (self.key, self.label) = (key, label) }
  }

  public var title: String
  public var body: String
  public var actions: [Action]
  /// A Boolean value that indicates whether it is shown until it is answered or withdrawn.
  public var stays: Bool

  public init(title: String, body: String, actions: [Action] = [], stays: Bool = false) {
    (self.title, self.body, self.actions, self.stays) = (title, body, actions, stays)
  }
}

/// The ID of a notification, among those of all services that a session has had.
public struct NotificationID: Hashable, Sendable {
  /// The service's number among those of the session.
  public let generation: Int
  public let number: UInt32

  public init(_ generation: Int, _ number: UInt32) { (self.generation, self.number) = (generation, number) }
}

/// The reason why a notification is not shown.
public struct NotificationFault: Error, Hashable, Sendable {
  public var reason: String

  public init(reason: String) { self.reason = reason }
}
