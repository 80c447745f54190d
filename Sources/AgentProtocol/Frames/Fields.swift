import LatchkeyModel

/// A value that is a sequence of fields in the body of a frame.
protocol FrameValue {
  init(from body: inout FieldReader) throws(AgentFrameError)

  func write(to body: FieldWriter) -> FieldWriter
}

/// A reader of the fields of a frame's body; all numbers are big-endian.
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

  /// Reads the value whose number is the next byte.
  mutating func one<Value: CaseIterable>(
    by number: (Value) -> UInt8, fault: (UInt8) -> String
  ) throws(AgentFrameError) -> Value {
    let given = try byte()
    guard let value = Value.allCases.first(where: { number($0) == given }) else { throw .value(fault(given)) }
    return value
  }

  /// Reads milliseconds below 2^48.
  mutating func milliseconds() throws(AgentFrameError) -> Int64 {
    let number = try number64()
    guard number < UInt64(HybridTimestamp.wallLimit) else { throw .value("a time of \(number) ms") }
    return Int64(number)
  }

  mutating func optionalInstant() throws(AgentFrameError) -> BootInstant? {
    if rest.prefix(8).count == 8, rest.prefix(8).allSatisfy({ $0 == 0xFF }) {
      rest = rest.dropFirst(8)
      return nil
    }
    return try BootInstant(from: &self)
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

  /// Reads the number of values, in two bytes or in one if `isShort`, and then the values.
  ///
  /// Refuses more than `most` values, and values that are not in the order of `precedes`.
  mutating func list<Value: FrameValue>(
    _ what: String, most: Int, isShort: Bool = false, by precedes: ((Value, Value) -> Bool)? = nil
  ) throws(AgentFrameError) -> [Value] {
    let count = Int(try number(isShort ? 1 : 2))
    guard count <= most else { throw .value("\(count) \(what)") }
    var values: [Value] = []
    for _ in 0..<count {
      let value = try Value(from: &self)
      if let last = values.last, precedes?(last, value) == false { throw .value("\(what) in another order") }
      values.append(value)
    }
    return values
  }

  func end() throws(AgentFrameError) { if !rest.isEmpty { throw .trailing } }
}

/// A writer of the fields of a frame's body; all numbers are big-endian.
final class FieldWriter {
  private(set) var bytes: [UInt8] = []

  func byte(_ value: UInt8) -> FieldWriter { number(UInt64(value), 1) }
  func number16(_ value: UInt16) -> FieldWriter { number(UInt64(value), 2) }
  func number32(_ value: UInt32) -> FieldWriter { number(UInt64(value), 4) }
  func number64(_ value: UInt64) -> FieldWriter { number(value, 8) }

  private func number(_ value: UInt64, _ size: Int) -> FieldWriter {
    for place in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(place) * 8))) }
    return self
  }

  private func append(_ more: some Sequence<UInt8>) -> FieldWriter {
    bytes += more
    return self
  }

  func flag(_ value: Bool) -> FieldWriter { byte(value ? 1 : 0) }

  /// Writes milliseconds, limited to the values that a frame can hold.
  func milliseconds(_ value: Int64) -> FieldWriter {
    number64(UInt64(min(max(0, value), HybridTimestamp.wallLimit - 1)))
  }

  func optionalInstant(_ value: BootInstant?) -> FieldWriter { value?.write(to: self) ?? number64(.max) }

  /// Writes a text with its size in two bytes, and replaces the characters that a rule forbids.
  func text(_ value: String, _ rule: TextRule) -> FieldWriter {
    let utf8 = Array(rule.cleaned(value).utf8)
    return number16(UInt16(truncatingIfNeeded: utf8.count)).append(utf8)
  }

  /// Writes the ID of a boot with its size in one byte, and omits characters that no ID has.
  func bootID(_ value: String) -> FieldWriter {
    let utf8 = value.utf8.filter { (0x21...0x7E).contains($0) }.prefix(64)
    return byte(UInt8(truncatingIfNeeded: utf8.count)).append(utf8)
  }

  func app(_ value: AppID?) -> FieldWriter { text(value?.text ?? "", .appID) }
  func value(_ value: some FrameValue) -> FieldWriter { value.write(to: self) }

  /// Writes a flag that says whether there is a value, and then the value.
  func optional(_ value: (some FrameValue)?) -> FieldWriter { value?.write(to: flag(true)) ?? flag(false) }

  /// Writes the number of values, in two bytes or in one if `isShort`, and then the values.
  func list(_ values: some Collection<some FrameValue>, isShort: Bool = false) -> FieldWriter {
    values.reduce(number(UInt64(values.count), isShort ? 1 : 2)) { $1.write(to: $0) }
  }
}

extension BootInstant: FrameValue {
  init(from body: inout FieldReader) throws(AgentFrameError) { self.init(milliseconds: try body.milliseconds()) }

  func write(to body: FieldWriter) -> FieldWriter { body.milliseconds(milliseconds) }
}

extension ProcessIdentity: FrameValue {
  init(from body: inout FieldReader) throws(AgentFrameError) {
    let pid = try body.number32()
    guard pid > 0, pid <= UInt32(Int32.max) else { throw .value("process \(pid)") }
    self.init(processID: Int32(pid), startTime: try body.number64())
  }

  func write(to body: FieldWriter) -> FieldWriter { body.number32(UInt32(bitPattern: processID)).number64(startTime) }
}
