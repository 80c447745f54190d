/// The kinds of command, as fixed words.
public enum CommandKind: String, Codable, Sendable, Hashable, CaseIterable {
  case setApp
  case removeApp
  case setFamilySettings
  case requestReport
  case message
  case unpair
}
