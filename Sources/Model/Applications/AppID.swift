/// The ID of an application: its desktop or Flatpak ID, or one that the parent chose; 1 to 255 bytes without spaces or
/// control characters.
public struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
  public let text: String

  /// Creates an ID from text; `nil` if it is empty, too long, or contains a space or an unprintable character.
  public init?(_ text: String) {
    guard TextRule.appID.fault(in: text) == nil else { return nil }
    self.text = text
  }

  public var description: String { text }

  public static func < (left: AppID, right: AppID) -> Bool { left.text < right.text }
}

extension AppID: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let id = AppID(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not an application ID: \(text)"))
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
