/// Says how discovery stands.
public enum DiscoveryState: Sendable, Hashable {
  /// It is being decided which back end to use.
  case starting

  /// Announcements and sightings go through this back end.
  case running(DiscoveryBackendKind)

  /// Nothing is announced or seen for now; it goes on by itself once the cause is gone.
  /// The sentence names the fault and the next step.
  case failed(String)
}
