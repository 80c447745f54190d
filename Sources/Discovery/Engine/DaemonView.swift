/// The known state of the system's avahi-daemon.
enum DaemonView: Hashable, Sendable {
  /// There is none, or it is still starting.
  case absent

  /// It answers, and is being asked to prove that it serves the wanted interfaces.
  case unproven

  /// It serves the wanted interfaces.
  case serving

  /// It answers, but does not serve the wanted interfaces, at least not yet.
  ///
  /// The reason is a clause.
  case notServing(String)
}
