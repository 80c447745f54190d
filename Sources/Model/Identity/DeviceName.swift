/// A label that people gave a device: 1 to 64 bytes of UTF-8 without control or invisible characters. Never an identity.
public struct DeviceName: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text as given, without white space at its ends.
  public let text: String

  /// The most bytes of UTF-8 a name may have.
  public static let maximumBytes = TextRule.deviceName.bytes.upperBound

  /// Check and wrap a name.
  ///
  /// - Throws: `DeviceNameError`, the giver's fault.
  public init(_ text: String) throws(DeviceNameError) {
    var trimmed = Substring(text)
    while trimmed.first == " " { trimmed.removeFirst() }
    while trimmed.last == " " { trimmed.removeLast() }
    guard !trimmed.isEmpty else { throw .empty }
    let text = String(trimmed)
    guard TextRule.deviceName.allowsCharacters(of: text) else { throw .unprintable }
    guard text.utf8.count <= Self.maximumBytes else { throw .tooLong(bytes: text.utf8.count) }
    self.text = text
  }

  /// Make a name that is safe to show out of whatever a peer sent: unprintable characters replaced, cut to 64 bytes.
  public init(sanitising text: String) {
    var safe = TextRule.deviceName.cleaned(text)
    while safe.first == " " { safe.removeFirst() }
    while safe.last == " " { safe.removeLast() }
    self.text = safe.isEmpty ? "unnamed" : safe
  }

  public var description: String { text }

  public init(from decoder: any Decoder) throws {
    self.init(sanitising: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
