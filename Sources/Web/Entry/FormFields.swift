/// The fields of a form that a browser has sent, as `application/x-www-form-urlencoded`.
///
/// A field that appears twice makes the form malformed, so that it is never open which one counts.
struct FormFields: Hashable, Sendable {
  /// The largest size of a form in bytes.
  static let mostBytes = 16_384
  private static let most = 320

  private var values: [String: String] = [:]

  /// Reads a form; `nil` if it is malformed.
  ///
  /// - Parameter body: The body of a request, or the query of its target.
  init?(_ body: some Sequence<UInt8>) {
    for pair in Array(body).split(separator: UInt8(ascii: "&")) {
      let cut = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard values.count < Self.most, let name = Self.decode(pair[..<cut]), !name.isEmpty,
        let value = Self.decode(pair[cut...].dropFirst()), values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
  }

  /// Returns the value of a field without white space around it; `nil` if it is absent or empty.
  subscript(_ name: String) -> String? {
    guard let value = values[name] else { return nil }
    let trimmed = Self.trimmed(value)
    return trimmed.isEmpty ? nil : trimmed
  }

  /// Returns the ends of the names of the fields that begin with a text and are not empty, in
  /// order.
  func names(after start: String) -> [String] {
    values.filter { $0.key.hasPrefix(start) && !$0.value.isEmpty }
      .map { String($0.key.dropFirst(start.count)) }.sorted()
  }

  /// Returns the number in a field; `nil` if it is absent or none.
  func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        decoded.append(high << 4 | low)
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map(UInt8.init) }
}

extension FormFields {
  /// Returns the fields of a form that was sent; `nil` if they are malformed.
  static func of(_ request: WebRequest) async -> FormFields? {
    let type = request.contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard type == "application/x-www-form-urlencoded" else { return nil }
    do { return try await request.body().flatMap { FormFields($0) } } catch { return nil }
  }
}
