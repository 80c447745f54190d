/// The reason why family days cannot be computed from settings.
///
/// Each description says what to do next.
public enum DayBoundaryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The zone is not known.
  case unknownZone(String)
  /// The hour is not in 0 to 23.
  case startHourOutOfRange(Int)

  /// One sentence with the fault and the next step.
  public var description: String {
    switch self {
    case .unknownZone(let zone):
      "There is no time zone \(zone.debugDescription): give an IANA name, such as Europe/Berlin."
    case .startHourOutOfRange(let hour): "A day cannot start at hour \(hour): give one from 0 to 23."
    }
  }
}
