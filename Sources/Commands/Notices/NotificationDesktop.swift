import LatchkeySystem

/// The desktop on which notices are shown; tests put their own in its place.
protocol NotificationDesktop: Sendable {
  /// What happens on it, for one reader.
  var events: AsyncStream<NotificationService.Event> { get }
  func capabilities() throws(NotificationFault) -> Set<String>
  func show(_ notification: DesktopNotification, replacing old: NotificationID?) throws(NotificationFault)
    -> NotificationID
  func withdraw(_ notification: NotificationID)
  /// The service that shows them at present; `nil` if there is none.
  func owner() -> NotificationService.Owner?
}

extension NotificationService: NotificationDesktop {}

extension TerminalFailure {
  /// The failure of a session without a notification service, with the next step.
  init(_ fault: NotificationFault) {
    self.init(
      .unavailable,
      "This session has no notification service (\(ShownText.safe(fault.reason))): run this in a desktop session, or install "
        + "one, such as the package dunst.")
  }
}
