/// How much of what others announce a discovery asks for.
///
/// Who follows what is announced asks the network for it again and again, and everybody's responder hears each question
/// and reads the long list of what the asker knows already: where forty machines ask at a time, they are busy with that
/// alone. Spec: Protocol/02-discovery.md §4.
public enum Attention: Sendable, Hashable {
  /// Nothing is asked.
  case none

  /// In a crowd, asking is left to others for most of the time: one of two machines that look for each other is enough.
  ///
  /// - Parameters:
  ///   - crowd: how many machines are known to look at the same time; more may be seen.
  ///   - misses: whether somebody is looked for; in a crowd nobody else listens.
  case patient(crowd: Int, misses: Bool)

  /// All that is of interest is asked for.
  case full

  /// Whether so many machines that look at a time are a crowd: more than 8.
  public static func isCrowd(_ count: Int) -> Bool { CrowdPatience.isCrowd(count) }

  var isPatient: Bool {
    if case .patient = self { true } else { false }
  }

  var misses: Bool {
    switch self {
    case .none: false
    case .patient(_, let misses): misses
    case .full: true
    }
  }
}
