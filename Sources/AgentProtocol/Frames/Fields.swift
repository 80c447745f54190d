import LatchkeyModel

/// A reader of the fields of a frame's body, all numbers big-endian.
struct FieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

  mutating func byte() throws(AgentFrameError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .short }
    return byte
  }

  mutating func bytes(_ count: Int) throws(AgentFrameError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw .short }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func number16() throws(AgentFrameError) -> UInt16 { UInt16(truncatingIfNeeded: try number(2)) }

  mutating func number32() throws(AgentFrameError) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }

  mutating func number64() throws(AgentFrameError) -> UInt64 { try number(8) }

  private mutating func number(_ size: Int) throws(AgentFrameError) -> UInt64 {
    try bytes(size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a byte that is 0 or 1.
  mutating func flag(_ what: String) throws(AgentFrameError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    case let other: throw .value("\(what) \(other)")
    }
  }

  /// Reads milliseconds below 2^48.
  mutating func milliseconds() throws(AgentFrameError) -> Int64 {
    let number = try number64()
    guard number < UInt64(HybridTimestamp.wallLimit) else { throw .value("a time of \(number) ms") }
    return Int64(number)
  }

  mutating func instant() throws(AgentFrameError) -> BootInstant { BootInstant(milliseconds: try milliseconds()) }

  mutating func optionalInstant() throws(AgentFrameError) -> BootInstant? {
    if rest.prefix(8).count == 8, rest.prefix(8).allSatisfy({ $0 == 0xFF }) {
      rest = rest.dropFirst(8)
      return nil
    }
    return try instant()
  }

  /// Reads a text with its size in two bytes, and checks it against a rule.
  mutating func text(_ rule: TextRule) throws(AgentFrameError) -> String {
    let bytes = try bytes(Int(try number16()))
    guard let text = String(validating: bytes, as: UTF8.self), rule.fault(in: text) == nil else {
      throw .value(rule.what.lowercased())
    }
    return text
  }

  /// Reads the ID of a boot with its size in one byte: 1 to 64 printable ASCII characters.
  mutating func bootID() throws(AgentFrameError) -> String {
    let bytes = try bytes(Int(try byte()))
    guard (1...64).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw .value("a boot's ID")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the ID of an application; `nil` for a size of 0.
  mutating func optionalApp() throws(AgentFrameError) -> AppID? {
    guard rest.prefix(2).elementsEqual([0, 0]) else { return try app() }
    rest = rest.dropFirst(2)
    return nil
  }

  mutating func app() throws(AgentFrameError) -> AppID {
    guard let app = AppID(try text(.appID)) else { throw .value("an application") }
    return app
  }

  mutating func process() throws(AgentFrameError) -> ProcessIdentity {
    let pid = try number32()
    guard pid > 0, pid <= UInt32(Int32.max) else { throw .value("process \(pid)") }
    return ProcessIdentity(processID: Int32(pid), startTime: try number64())
  }

  func end() throws(AgentFrameError) { if !rest.isEmpty { throw .trailing } }
}

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
  mutating func milliseconds(_ value: Int64) { number64(UInt64(min(max(0, value), HybridTimestamp.wallLimit - 1))) }

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

  /// Writes the ID of a boot with its size in one byte, without characters that no ID contains.
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
