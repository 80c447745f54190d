import FoundationEssentials
import LatchkeyModel

/// The decoded path and query of a request.
package struct RequestTarget: Hashable, Sendable {
  package var segments: [String]
  /// The decoded parameters; the last value of a repeated name wins.
  package var query: [String: String]

  init(segments: [String], query: [String: String] = [:]) { (self.segments, self.query) = (segments, query) }

  /// Creates a target from text such as `/v1/usage?device=Emma`; `nil` if it is malformed.
  package init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    segments = []
    for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decode(part), !segment.isEmpty else { return nil }
      segments.append(segment)
    }
    query = [:]
    guard halves.count == 2 else { return }
    for pair in halves[1].split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(sides[0]),
        let value = PercentCoding.decode(sides.count == 2 ? sides[1] : "")
      else { return nil }
      query[name] = value
    }
  }

  /// Creates a target whose texts are safe to show; throws `ControlFailure`, the caller's fault, if
  /// it is malformed.
  package init(checking text: String) throws(ControlFailure) {
    guard let target = RequestTarget(text) else {
      throw ControlFailure(400, .invalid, "The request's path is malformed: use one that the local API lists.")
    }
    for part in target.segments + target.query.values {
      if let fault = TextRule.requestPart.fault(in: part) { throw ControlFailure(400, .invalid, fault) }
    }
    self = target
  }

  /// The target as text for a request line.
  package var text: String {
    let path = "/" + segments.map(PercentCoding.encode).joined(separator: "/")
    if query.isEmpty { return path }
    let pairs = query.sorted { $0.key < $1.key }
      .map { "\(PercentCoding.encode($0.key))=\(PercentCoding.encode($0.value))" }
    return path + "?" + pairs.joined(separator: "&")
  }
}

/// A request as the client of an endpoint writes it.
package struct OutgoingRequest: Hashable, Sendable {
  package let method: Route.Method
  private let template: PathTemplate
  var parameters: [String: String] = [:]
  var query: [String: String] = [:]
  /// The body as JSON; `nil` for none.
  package var body: [UInt8]?

  init(method: Route.Method, template: PathTemplate) { (self.method, self.template) = (method, template) }

  package var target: RequestTarget { RequestTarget(segments: template.segments(parameters), query: query) }
}

/// A decoded request as an endpoint of the server reads it.
package struct IncomingRequest: Hashable, Sendable {
  package var parameters: [String: String]
  package var query: [String: String]
  /// The body; empty for an endpoint without one.
  package var body: [UInt8] = []

  package init(parameters: [String: String], query: [String: String], body: [UInt8] = []) {
    (self.parameters, self.query, self.body) = (parameters, query, body)
  }
}

/// The JSON coding of the local API, which both sides share.
package enum LocalJSON {
  /// The largest number of bytes in a request's body.
  package static let requestBytes = 256 << 10
  /// The largest number of bytes in an answer that the client accepts.
  package static let responseBytes = 256 << 20

  /// Encodes a value on one line with sorted keys.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(value))
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try CommandRegistry.household.decoder().decode(type, from: Data(bytes))
  }
}

/// The percent-encoding of names and values in request targets (RFC 3986), which leaves only
/// unreserved characters as they are.
enum PercentCoding {
  static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case _ where byte.isLetterOrDigit, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        encoded += Array("%\(Hexadecimal.encode([byte]).uppercased())".utf8)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes a text; `nil` if an escape is incomplete or the bytes are not UTF-8.
  static func decode(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let decoded = Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self))
      else { return nil }
      bytes += decoded
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
