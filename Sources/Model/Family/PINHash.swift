/// The text that a PIN is kept as: the string of Argon2id that libsodium makes, with one choice of
/// memory and time.
///
/// Any other memory or time is refused, so that a register cannot make a machine work for longer.
///
/// Spec: Protocol/10-household.md §3.
public struct PINHash: Hashable, Sendable {
  /// The memory for one check, in KiB.
  public static let memoryKibibytes = 19_456
  /// The passes over the memory.
  public static let passes = 2
  /// The beginning of every text: the algorithm, its version and its cost.
  static let beginning = "$argon2id$v=19$m=\(memoryKibibytes),t=\(passes),p=1$"
  /// The characters of the salt, of 16 bytes, and of the hash, of 32 bytes.
  private static let (saltCharacters, hashCharacters) = (22, 43)

  public let text: String

  /// Creates a hash from its text; returns `nil` for a text of another form.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.beginning) else { return nil }
    let parts = text.utf8.dropFirst(Self.beginning.utf8.count)
      .split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [Self.saltCharacters, Self.hashCharacters],
      parts.joined().allSatisfy(Self.isBase64)
    else { return nil }
    self.text = text
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
