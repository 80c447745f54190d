/// Lower-case hexadecimal text of bytes.
public enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns `bytes` as lower-case hexadecimal text with two digits for each byte.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    // Other modules call this without a specialization, where each step of a generic iteration
    // allocates memory.
    bytes.withContiguousStorageIfAvailable { text($0) } ?? Array(bytes).withUnsafeBufferPointer { text($0) }
  }

  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (place, byte) in bytes.enumerated() {
        text[2 * place] = digits[Int(byte >> 4)]
        text[2 * place + 1] = digits[Int(byte & 15)]
      }
      return bytes.count * 2
    }
  }

  /// Returns the bytes of hexadecimal text in either case; `nil` if it is malformed.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let symbols = Array(text.utf8)
    guard symbols.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count / 2)
    for index in stride(from: 0, to: symbols.count, by: 2) {
      guard let high = value(symbols[index]), let low = value(symbols[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ symbol: UInt8) -> UInt8? {
    switch symbol {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): symbol - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): symbol - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Crockford's base 32: text that people can read aloud and type, without I, L, O and U.
///
/// Decoding ignores case and accepts O for 0, and I and L for 1.
public enum Crockford {
  package static let symbols = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Returns `bytes` as base-32 text, most significant bits first.
  ///
  /// The last symbol is padded with zero bits.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: FiveBits.groups(of: bytes).map { symbols[Int($0)] }, as: UTF8.self)
  }

  /// Returns the base-32 values (0 to 31) of text; `nil` if a character is not a symbol.
  package static func values(_ text: some StringProtocol) -> [UInt8]? {
    var values: [UInt8] = []
    for symbol in text.utf8 {
      guard let value = value(symbol) else { return nil }
      values.append(value)
    }
    return values
  }

  /// Returns the bytes of base-32 values; `nil` if the remaining bits are not zero.
  static func bytes(_ values: some Collection<UInt8>) -> [UInt8]? { FiveBits.bytes(of: values)?.bytes }

  /// Returns the Luhn mod 32 check value, which detects a wrong symbol and most swaps.
  package static func check(_ values: some BidirectionalCollection<UInt8>) -> UInt8 {
    var factor = 2
    var sum = 0
    for value in values.reversed() {
      let addend = factor * Int(value)
      sum += addend / 32 + addend % 32
      factor = factor == 2 ? 1 : 2
    }
    return UInt8((32 - sum % 32) % 32)
  }

  private static func value(_ symbol: UInt8) -> UInt8? {
    var upper = symbol
    if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(symbol) { upper = symbol - 32 }
    switch upper {
    case UInt8(ascii: "O"): upper = UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "L"): upper = UInt8(ascii: "1")
    default: break
    }
    return symbols.firstIndex(of: upper).map(UInt8.init)
  }
}

/// The regrouping of bytes into groups of five bits, most significant bits first, and back.
package enum FiveBits {
  /// Returns the groups, 0 to 31 each, the last one padded with zeros.
  package static func groups(of bytes: some Collection<UInt8>) -> [UInt8] {
    var groups: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        groups.append(UInt8(bits >> count & 31))
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { groups.append(UInt8(bits << (5 - count) & 31)) }
    return groups
  }

  /// Returns the whole bytes of groups and the count of bits left over; `nil` unless those are 0.
  package static func bytes(of groups: some Collection<UInt8>) -> (bytes: [UInt8], leftOver: Int)? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for group in groups {
      bits = bits << 5 | UInt32(group)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 0xFF))
      }
      bits &= (1 << count) - 1
    }
    return bits == 0 ? (bytes, Int(count)) : nil
  }
}
