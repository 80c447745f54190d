import Glibc

/// A connection to logind over the system bus.
///
/// It is used by one thread. Each call has a time limit. A call without an answer ends the
/// connection, and a new one must be created. Spec: Protocol/13-agent.md §10.
public final class LoginBus {
  static let mostSessions = 64
  /// The most entries of logind's list that are considered.
  private static let mostListed = 4_096
  /// The longest time that connecting, or reading all sessions, may take, in milliseconds.
  private static let readMilliseconds: Int64 = 500
  /// The longest time that a command to logind may take, in milliseconds.
  private static let orderMilliseconds: Int64 = 1_000

  private static let service = "org.freedesktop.login1"
  private static let manager = "/org/freedesktop/login1"
  private static let managerInterface = "org.freedesktop.login1.Manager"
  private static let sessionInterface = "org.freedesktop.login1.Session"
  private static let propertiesInterface = "org.freedesktop.DBus.Properties"

  private let bus: BusConnection
  /// A Boolean value that indicates whether a signal has arrived.
  private var isNews = false
  /// A Boolean value that indicates whether the connection can still be used.
  public var isConnected: Bool { bus.isConnected }

  /// Connects to the system bus, or in tests to the bus at `address`; `nil` if it does not answer.
  public init?(address: String? = nil) {
    let place = address ?? getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
    guard
      let bus = BusConnection(address: place ?? "unix:path=/run/dbus/system_bus_socket", within: Self.readMilliseconds)
    else { return nil }
    self.bus = bus
    guard listen() else { return nil }
  }

  /// The descriptor, which can be polled for messages to process.
  public var descriptor: Int32 { bus.descriptor }

  /// Processes the messages that have arrived.
  ///
  /// Returns `true` if sessions may have changed or the connection has ended. Call this before each
  /// wait for the descriptor: another call may have received signals, which do not wake the wait.
  public func process() -> Bool {
    guard isConnected else { return false }
    guard bus.process() else { return true }
    defer { isNews = false }
    return isNews
  }

  /// Subscribes to logind's signals, without waiting for the bus to confirm it.
  private func listen() -> Bool {
    let rule = "type='signal',sender='\(Self.service)'"
    let news: (BusMessage) -> Void = { [unowned self] _ in isNews = true }
    return bus.subscribe("\(rule),path='\(Self.manager)',interface='\(Self.managerInterface)'", news)
      && bus.subscribe("\(rule),interface='\(Self.propertiesInterface)',member='PropertiesChanged'", news)
  }

  /// Returns the sessions that logind knows, at most 64; empty if it does not answer, after which
  /// `isConnected` is `false`.
  ///
  /// Those at a seat come first, since any account can begin many others.
  public func sessions() -> [LoginSession] {
    let end = BusConnection.Deadline(Self.readMilliseconds)
    guard let list = call(Self.manager, Self.managerInterface, "ListSessions", within: end), list.enter("a", "(susso)")
    else {
      // Any process may list the sessions, so a refusal also means that logind does not work.
      bus.end()
      return []
    }
    var found: [(id: String, user: UInt32, seat: String, path: String)] = []
    while found.count < Self.mostListed, list.enter("r", "susso") {
      guard let id = list.text("s"), let user = list.number(), list.text("s") != nil, let seat = list.text("s"),
        let path = list.text("o"), list.leave()
      else { break }
      found.append((id, user, seat, path))
    }
    let chosen = found.filter { !$0.seat.isEmpty } + found.filter(\.seat.isEmpty)
    return chosen.prefix(Self.mostSessions).compactMap { entry in
      // A session that has ended meanwhile has no properties.
      guard
        let reply = call(
          entry.path, Self.propertiesInterface, "GetAll", within: end, { $0.append(Self.sessionInterface) })
      else { return nil }
      var session = LoginSession(
        id: entry.id, user: entry.user, seat: entry.seat, isActive: false, isLocked: false, sessionClass: "", state: "")
      return Self.read(reply, into: &session) ? session : nil
    }
  }

  /// Asks a session's desktop to lock it; returns whether logind forwarded the request.
  public func lock(_ session: String) -> Bool { order("LockSession") { $0.append(session) } }

  /// Ends all sessions of an account and its lingering processes; returns whether logind does so.
  public func terminateUser(_ uid: UInt32) -> Bool { order("TerminateUser") { $0.append(uid) } }

  private func order(_ name: String, _ fill: (BusMessage) -> Bool) -> Bool {
    call(Self.manager, Self.managerInterface, name, within: .init(Self.orderMilliseconds), fill) != nil
  }

  /// Calls a method of logind's, and returns its answer; `nil` if it is refused or late.
  private func call(
    _ path: String, _ interface: String, _ member: String, within limit: BusConnection.Deadline,
    _ fill: (BusMessage) -> Bool = { _ in true }
  ) -> BusMessage? {
    let method = BusConnection.Method(service: Self.service, path: path, interface: interface, name: member)
    return bus.call(method, within: limit, fill)
  }

  /// Reads the properties of a session; returns `false` if they do not have the expected form.
  private static func read(_ reply: BusMessage, into session: inout LoginSession) -> Bool {
    let flags: [String: WritableKeyPath<LoginSession, Bool>] = [
      "Active": \.isActive, "LockedHint": \.isLocked, "Remote": \.isRemote,
    ]
    let texts: [String: WritableKeyPath<LoginSession, String>] = [
      "Class": \.sessionClass, "State": \.state, "Type": \.type,
    ]
    guard reply.enter("a", "{sv}") else { return false }
    while reply.enter("e", "sv") {
      guard let name = reply.text("s") else { return false }
      if let flag = flags[name] {
        guard let value = reply.flagInVariant() else { return false }
        session[keyPath: flag] = value
      } else if let text = texts[name] {
        guard let value = reply.textInVariant() else { return false }
        session[keyPath: text] = value
      } else if !reply.skip("v") {
        return false
      }
      guard reply.leave() else { return false }
    }
    return true
  }
}

/// A session of a person, as logind describes it.
public struct LoginSession: Hashable, Sendable {
  public var id: String
  public var user: UInt32
  /// The seat that it belongs to; empty for none.
  public var seat: String
  /// A Boolean value that indicates whether it is in the foreground of its seat; logind also
  /// reports `true` for sessions without a seat.
  public var isActive: Bool
  /// A Boolean value that indicates whether its desktop reports that it is locked.
  ///
  /// The desktop runs in the account itself, so the value `false` must not give an advantage.
  public var isLocked: Bool
  public var sessionClass: String
  public var state: String
  /// Its type, such as `tty`, `x11` or `wayland`.
  public var type: String
  /// A Boolean value that indicates whether it is a session over the network.
  public var isRemote: Bool

  public init(
    id: String, user: UInt32, seat: String, isActive: Bool, isLocked: Bool, sessionClass: String = "user",
    state: String = "active", type: String = "", isRemote: Bool = false
  ) {
    (self.id, self.user, self.seat, self.isActive, self.isLocked) = (id, user, seat, isActive, isLocked)
    (self.sessionClass, self.state, self.type, self.isRemote) = (sessionClass, state, type, isRemote)
  }

  /// A Boolean value that indicates whether a person at the machine can use the session now: it is
  /// a user's, local, in the foreground of a seat, and not locked.
  public var isInUse: Bool { isInForeground && !isLocked }

  /// A Boolean value that indicates whether a person at the machine can use or unlock it.
  public var isInForeground: Bool {
    sessionClass.hasPrefix("user") && !isRemote && !seat.isEmpty && isActive && state != "closing"
  }
}
