import LatchkeyModel

/// The choice of a back end.
///
/// Spec: Protocol/02-discovery.md §5.
enum BackendChoice: Hashable, Sendable {
  /// Use this back end.
  case use(DiscoveryBackend)

  /// Keep the present state until more is known.
  case wait

  /// Use no back end, for the reason in the sentence.
  case nothing(String)

  /// Returns the choice.
  ///
  /// - `configuration`: The permitted back ends.
  /// - `problem`: The reason why there is no interface to use, if any.
  /// - `daemon`: The known state of the daemon.
  static func make(configuration: DiscoveryConfiguration, problem: String?, daemon: DaemonView) -> BackendChoice {
    if let problem { return .nothing(problem) }
    if configuration.allowDaemon {
      switch daemon {
      case .serving: return .use(.avahiDaemon)
      case .unproven: return .wait
      case .absent, .notServing: break
      }
    }
    if configuration.allowEmbedded { return .use(.embedded) }
    guard configuration.allowDaemon else {
      return .nothing("Discovery is switched off; name peers with --peer host:port.")
    }
    if case .notServing(let reason) = daemon {
      return .nothing("The system's avahi-daemon is of no use here: \(reason). Allow the embedded stack.")
    }
    return .nothing("No avahi-daemon answers on this system; start it, or allow the embedded stack.")
  }
}

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
