/// Lower-case hexadecimal text of bytes and back.
public enum Hexadecimal {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Write `bytes` as lower-case hexadecimal text, two digits a byte.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Read hexadecimal text of either case; nil when a character is not a digit or their number is odd.
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
