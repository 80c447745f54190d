import LatchkeyModel

/// A writer of the fields of a frame's body, all numbers big-endian.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number16(_ value: UInt16) { number(UInt64(value), 2) }

  mutating func number32(_ value: UInt32) { number(UInt64(value), 4) }

  mutating func number64(_ value: UInt64) { number(value, 8) }

  private mutating func number(_ value: UInt64, _ size: Int) {
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(place) * 8))) }
  }

  mutating func flag(_ value: Bool) { byte(value ? 1 : 0) }

  /// Writes milliseconds, limited to the values that a frame can hold.
  mutating func milliseconds(_ value: Int64) {
    number64(UInt64(min(max(0, value), HybridTimestamp.wallLimit - 1)))
  }

  mutating func instant(_ value: BootInstant) { milliseconds(value.milliseconds) }

  mutating func optionalInstant(_ value: BootInstant?) {
    if let value { instant(value) } else { number64(.max) }
  }

  /// Writes a text with its size in two bytes, and replaces the characters that a rule forbids.
  mutating func text(_ value: String, _ rule: TextRule) {
    let utf8 = Array(rule.cleaned(value).utf8)
    number16(UInt16(truncatingIfNeeded: utf8.count))
    bytes += utf8
  }

  /// Writes the ID of a boot with its size in one byte, without characters that an ID cannot
  /// contain.
  mutating func bootID(_ value: String) {
    let utf8 = value.utf8.filter { (0x21...0x7E).contains($0) }.prefix(64)
    byte(UInt8(truncatingIfNeeded: utf8.count))
    bytes += utf8
  }

  mutating func app(_ value: AppID?) { text(value?.text ?? "", .appID) }

  mutating func process(_ value: ProcessIdentity) {
    number32(UInt32(bitPattern: value.processID))
    number64(value.startTime)
  }
}
