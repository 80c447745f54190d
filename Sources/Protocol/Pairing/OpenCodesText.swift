import LatchkeyModel

/// The value of `d` in an announcement: the discriminators of the open codes.
///
/// Spec: Protocol/02-discovery.md §2.
public enum OpenCodesText {
  /// Returns the discriminators in decimal, joined by commas; at most `Limits.invitations`.
  public static func bytes(_ discriminators: [UInt16]) -> [UInt8] {
    Array(discriminators.prefix(Limits.invitations).map { String($0) }.joined(separator: ",").utf8)
  }

  /// Returns the discriminators of a value; none if the value is missing or malformed.
  public static func discriminators(_ bytes: [UInt8]?) -> Set<UInt16> {
    guard let bytes, !bytes.isEmpty else { return [] }
    let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    guard parts.count <= Limits.invitations else { return [] }
    var found: Set<UInt16> = []
    for part in parts {
      guard (1...4).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }),
        part.count == 1 || part.first != 0x30,
        let number = UInt16(String(decoding: part, as: UTF8.self)), number < Limits.discriminators
      else { return [] }
      found.insert(number)
    }
    return found
  }
}
