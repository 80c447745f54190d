/// The name that people gave a device: 1 to 64 bytes of UTF-8 without control or invisible
/// characters.
///
/// It is never an identity.
public struct DeviceName: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The text as given, without spaces at its ends.
  public let text: String

  /// The largest size of a name in bytes of UTF-8.
  public static let maximumBytes = TextRule.deviceName.bytes.upperBound

  /// Creates a name from text.
  ///
  /// Throws `DeviceNameError`, the caller's fault, if the text is invalid.
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

  /// Creates a name that is safe to show: unprintable characters are replaced, and 64 bytes kept.
  public init(sanitising text: String) {
    var safe = TextRule.deviceName.cleaned(text)
    while safe.first == " " { safe.removeFirst() }
    while safe.last == " " { safe.removeLast() }
    self.text = safe.isEmpty ? "unnamed" : safe
  }

  public var description: String { text }

  /// Creates a name from text that is made safe to show.
  public init(from decoder: any Decoder) throws {
    self.init(sanitising: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Returns this name; if another device has it, with the smallest number that makes it different.
  public func distinct(from taken: [DeviceName]) -> DeviceName {
    let taken = Set(taken.map { $0.text.lowercased() })
    guard taken.contains(text.lowercased()) else { return self }
    for number in 2...(taken.count + 2) {
      let ending = " \(number)"
      var beginning = text
      while beginning.utf8.count + ending.utf8.count > Self.maximumBytes { beginning.unicodeScalars.removeLast() }
      let name = DeviceName(sanitising: beginning + ending)
      if !taken.contains(name.text.lowercased()) { return name }
    }
    return self
  }

  /// The name in English quotation marks.
  public var quoted: String { Phrase.quoted(text).worded() }

  /// The name in quotation marks for a place of a phrase.
  public var quotation: Phrase.Argument { .phrase(.quoted(text)) }
}

/// The reason why a text is not a device name.
///
/// Each description says what to do next.
public enum DeviceNameError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty, unprintable
  case tooLong(bytes: Int)

  /// One sentence with the fault and the next step.
  public var description: String { phrase.worded() }

  public var phrase: Phrase {
    switch self {
    case .empty: Phrase("The name is empty: give one of 1 to 64 bytes, such as --name \"Emma's PC\".")
    case .unprintable:
      Phrase("The name has control or invisible characters: use letters, digits, spaces and punctuation.")
    case .tooLong(let bytes):
      Phrase("The name has {bytes} bytes of UTF-8: shorten it to at most 64.", ["bytes": .number(bytes)])
    }
  }
}

/// The name of a device with the time at which it was given.
///
/// A label is for people. It is never an identity, and no decision depends on it.
///
/// Spec: Protocol/04-session.md §3.
public struct DeviceLabel: Hashable, Sendable {
  public var name: DeviceName
  /// When the device was named, and by which device; `nil` for its first name.
  public var at: HybridTimestamp?

  public init(_ name: DeviceName, at: HybridTimestamp? = nil) { (self.name, self.at) = (name, at) }

  /// Returns whether this label replaces another one of the same device.
  public func replaces(_ other: DeviceLabel) -> Bool {
    guard let at else { return false }
    return other.at.map { $0 < at } ?? true
  }
}

/// The names of the two devices as one side of a session states them.
public struct SessionLabels: Hashable, Sendable {
  /// The sender's own label; `nil` if it still has its first name.
  public var own: DeviceLabel?
  /// The label that the sender, a parent's machine, has for the receiver; `nil` if it gave none.
  public var yours: DeviceLabel?

  public init(own: DeviceLabel? = nil, yours: DeviceLabel? = nil) { (self.own, self.yours) = (own, yours) }
}
