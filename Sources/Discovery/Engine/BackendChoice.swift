/// Decides which back end to use.
///
/// Spec: Protocol/ discovery, "Back ends"
enum BackendChoice: Hashable, Sendable {
  /// Use this back end.
  case use(DiscoveryBackendKind)

  /// Leave things as they are until more is known.
  case wait

  /// Use none, for the reason in the sentence.
  case nothing(String)

  /// Decide.
  ///
  /// - Parameters:
  ///   - configuration: which back ends are allowed.
  ///   - problem: why there is no interface to use, if so.
  ///   - daemon: what is known of the daemon.
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
