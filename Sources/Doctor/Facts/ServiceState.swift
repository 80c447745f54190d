/// Whether a system service is there.
public enum ServiceState: Sendable, Hashable {
  case answers
  /// Its socket is there and nobody answers, or it refuses us; why, as a clause.
  case silent(String)
  case absent
}
