/// A connection to the notification service of a desktop session.
///
/// One thread uses it at a time. It implements the Desktop Notifications Specification,
/// `org.freedesktop.Notifications`.
final class NotificationBus {
  private static let service = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// The longest time that a call may take, in milliseconds.
  private static let callMilliseconds: Int64 = 5_000

  private let bus: BusConnection
  /// The capabilities of the present service; `nil` until they are asked for.
  private var known: Set<String>?
  /// The number of services that the session has had, of all connections.
  private(set) var generation: Int

  /// Connects to a session bus; `nil` if no bus answers.
  ///
  /// `generation` is that of its service, above those of earlier connections.
  init?(address: String, generation: Int, _ report: @escaping (NotificationService.Event) -> Void) {
    guard let bus = BusConnection(address: address, within: Self.callMilliseconds) else { return nil }
    (self.bus, self.generation) = (bus, generation)
    let signals = "type='signal',sender='\(Self.service)',path='\(Self.path)',interface='\(Self.service)'"
    guard
      bus.subscribe(
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.service)'",
        { [unowned self] signal in
          (known, self.generation) = (nil, self.generation + 1)
          guard signal.text("s") != nil, signal.text("s") != nil, signal.text("s")?.isEmpty == false else { return }
          report(.replaced(by: self.generation))
        }),
      bus.subscribe(
        signals + ",member='ActionInvoked'",
        { [unowned self] signal in
          if let number = signal.number(), let action = signal.text("s") {
            report(.pressed(NotificationID(self.generation, number), action: action))
          }
        }),
      bus.subscribe(
        signals + ",member='NotificationClosed'",
        { [unowned self] signal in
          if let number = signal.number() { report(.closed(NotificationID(self.generation, number))) }
        })
    else { return nil }
  }

  var descriptor: Int32 { bus.descriptor }

  /// Hands on the signals that have arrived; returns `false` if the connection has ended.
  func process() -> Bool { bus.process() }

  /// Returns what the service is capable of.
  func capabilities() throws(NotificationFault) -> Set<String> {
    if let known { return known }
    let answer = try call("GetCapabilities")
    guard let texts = answer.texts() else { throw NotificationFault(reason: "it does not say what it is capable of") }
    // The call may have started the service, which is told of before the answer.
    _ = process()
    known = Set(texts)
    return known ?? []
  }

  /// Returns the service that has the name.
  func owner() throws(NotificationFault) -> NotificationService.Owner {
    let bus = "org.freedesktop.DBus"
    let method = BusConnection.Method(service: bus, path: "/org/freedesktop/DBus", interface: bus, name: "GetNameOwner")
    let answer = self.bus.call(method, within: .init(Self.callMilliseconds)) { $0.append(Self.service) }
    guard let name = answer?.text("s") else { throw NotificationFault(reason: self.bus.refusal) }
    _ = process()
    return NotificationService.Owner(name: name, generation: generation)
  }

  func show(
    _ notification: DesktopNotification, replacing old: NotificationID?
  ) throws(NotificationFault) -> NotificationID {
    let answer = try call("Notify") { message in
      message.append("Latchkey") && message.append(old?.generation == generation ? old?.number ?? 0 : 0)
        && message.append("") && message.append(notification.title) && message.append(notification.body)
        && message.append(notification.actions.flatMap { [$0.key, $0.label] })
        && message.append("a", "{sv}") {
          message.append("urgency", byte: 1) && message.append("resident", flag: notification.stays)
        } && message.append(notification.stays ? 0 : -1 as Int32)
    }
    guard let number = answer.number() else { throw NotificationFault(reason: "it gives its notifications no numbers") }
    _ = process()
    return NotificationID(generation, number)
  }

  /// Withdraws a notification, if it is still shown.
  func close(_ notification: NotificationID) {
    guard notification.generation == generation else { return }
    _ = try? call("CloseNotification") { $0.append(notification.number) }
    _ = process()
  }

  private func call(
    _ name: String, _ fill: (BusMessage) -> Bool = { _ in true }
  ) throws(NotificationFault) -> BusMessage {
    let method = BusConnection.Method(service: Self.service, path: Self.path, interface: Self.service, name: name)
    guard let answer = bus.call(method, within: .init(Self.callMilliseconds), fill) else {
      throw NotificationFault(reason: bus.refusal)
    }
    return answer
  }
}
