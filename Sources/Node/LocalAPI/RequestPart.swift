import LatchkeyModel

/// One value of a request, with its encoding by the client and its decoding by the server.
struct RequestPart<Value: Sendable>: Sendable {
  let description: PartDescription
  let write: @Sendable (Value, inout OutgoingRequest) throws -> Void
  /// Returns the value of a request; throws `ControlFailure`, the caller's fault, if it is missing
  /// or malformed.
  let read: @Sendable (IncomingRequest) throws -> Value
}

/// The description of a part of a request, for the API's document.
package struct PartDescription: Sendable {
  package enum Place: Hashable, Sendable {
    case path(String)
    case query(String)
    case body
  }

  package enum Shape: Sendable {
    /// Text of at least so many characters.
    case text(minimumLength: Int = 0)
    case words([String])
    /// A whole number, with the value of a request that omits it.
    case integer(minimum: Int64? = nil, maximum: Int64? = nil, usual: Int? = nil)
    case json(any (Decodable & Sendable).Type)
  }

  package let place: Place
  package let summary: String
  package let shape: Shape
}

/// Parts of a request's path.
enum Path {
  static let device = text("device", "A device's name, its ID, or a beginning of its ID that fits one device.")
  static let receiver = text("receiver", "Who tells people of notices: a name of 1 to 64 bytes, such as desktop.")

  static let browser = text("browser", "A browser that was let in: its ID, or its whole name.")

  static func text(_ name: String, _ summary: String) -> RequestPart<String> {
    part(name, summary, .text(minimumLength: 1), write: { $0 }, read: { $0 })
  }

  static func streamClass(_ name: String) -> RequestPart<StreamClass> {
    part(name, "A class of items.", .streamClass, write: \.word, read: StreamClass.init(parameter:))
  }

  static func number(_ name: String, _ summary: String) -> RequestPart<UInt64> {
    part(name, summary, .integer(minimum: 0), write: String.init) { try Number.read($0, name) }
  }

  private static func part<Value: Sendable>(
    _ name: String, _ summary: String, _ shape: PartDescription.Shape, write: @escaping @Sendable (Value) -> String,
    read: @escaping @Sendable (String) throws -> Value
  ) -> RequestPart<Value> {
    RequestPart(
      description: PartDescription(place: .path(name), summary: summary, shape: shape),
      write: { value, request in request.parameters[name] = write(value) },
      read: { try read($0.parameters[name] ?? "") })
  }
}

/// Parts of a request's query.
enum Query {
  static let device = text(
    "device", "Only of this device: its name, its ID, or a beginning of its ID that fits one device.")
  static let onlyChild = text("child", "The child; may be absent if there is only one.")
  static let limit = greatest("The most entries to answer with, 1 to 10,000.", default: 100)

  static func number(_ name: String, _ summary: String, default usual: Int) -> RequestPart<Int> {
    part(
      name, summary, .integer(usual: usual), write: { String($0) },
      read: { text in try text.map { try Number.read($0, name) } ?? usual })
  }

  /// Returns the part for the largest number of entries or sessions in an answer.
  static func greatest(_ summary: String, default usual: Int) -> RequestPart<Int> {
    part(
      "limit", summary, .integer(minimum: 1, maximum: 10_000, usual: usual), write: { String($0) },
      read: { text in
        guard let text else { return usual }
        let number: Int = try Number.read(text, "limit")
        guard (1...10_000).contains(number) else {
          throw ControlFailure(400, .invalid, "The value of `limit` is out of range: give 1 to 10,000.")
        }
        return number
      })
  }

  static func text(_ name: String, _ summary: String) -> RequestPart<String?> {
    part(name, summary, .text(), write: { $0 }, read: { $0 })
  }

  static func streamClass(_ name: String) -> RequestPart<StreamClass?> {
    part(
      name, "Only items of this class.", .streamClass, write: { $0?.word },
      read: { text in try text.map(StreamClass.init(parameter:)) })
  }

  static func number<Value: FixedWidthInteger & Sendable>(_ name: String, _ summary: String) -> RequestPart<Value?> {
    part(
      name, summary, .integer(), write: { $0.map { String($0) } },
      read: { text in try text.map { try Number.read($0, name) } })
  }

  private static func part<Value: Sendable>(
    _ name: String, _ summary: String, _ shape: PartDescription.Shape, write: @escaping @Sendable (Value) -> String?,
    read: @escaping @Sendable (String?) throws -> Value
  ) -> RequestPart<Value> {
    RequestPart(
      description: PartDescription(place: .query(name), summary: summary, shape: shape),
      write: { value, request in request.query[name] = write(value) },
      read: { try read($0.query[name]) })
  }
}

enum Body {
  static func json<Value: Codable & CheckedRequest & Sendable>(_ type: Value.Type) -> RequestPart<Value> {
    RequestPart(
      description: PartDescription(place: .body, summary: "", shape: .json(type)),
      write: { value, request in request.body = try LocalJSON.encode(value) },
      read: { request in
        let value: Value
        do { value = try LocalJSON.decode(type, from: request.body) } catch {
          throw ControlFailure(400, .invalid, BodyFaultText.sentence(error))
        }
        if let fault = value.textFault { throw ControlFailure(400, .invalid, fault) }
        return value
      })
  }
}

/// The fault of a request's body, in words.
///
/// A member is named and never quoted: a body may hold a pairing code.
private enum BodyFaultText {
  static func sentence(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      return "The request's body lacks \(name(context.codingPath + [key])): add it."
    case .valueNotFound(_, let context), .typeMismatch(_, let context):
      return context.codingPath.isEmpty ? notExpected : value(context.codingPath)
    case .dataCorrupted(let context):
      if let unknown = context.underlyingError as? UnknownKind {
        let known = CommandRegistry.household.kinds.map(\.rawValue).joined(separator: ", ")
        return "There is no command of kind “\(unknown.kind)”: give one of \(known)."
      }
      return context.codingPath.isEmpty ? notExpected : value(context.codingPath)
    default: return notExpected
    }
  }

  private static let notExpected = "The request's body is not the JSON expected here: compare its description."

  private static func value(_ path: [any CodingKey]) -> String {
    "The value of \(name(path)) in the request's body is of another type or not allowed: compare its description."
  }

  private static func name(_ path: [any CodingKey]) -> String {
    "`" + path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".") + "`"
  }
}

private enum Number {
  static func read<Value: FixedWidthInteger>(_ text: String, _ name: String) throws(ControlFailure) -> Value {
    guard let number = Value(text) else {
      throw ControlFailure(400, .invalid, "The value of `\(name)` is not a whole number in range: give digits only.")
    }
    return number
  }
}

extension StreamClass {
  fileprivate init(parameter word: String) throws(ControlFailure) {
    guard let streamClass = StreamClass(word: word) else {
      throw ControlFailure(
        400, .invalid,
        "There is no such class of items: give one of \(StreamClass.allCases.map(\.word).joined(separator: ", ")).")
    }
    self = streamClass
  }
}

extension PartDescription.Shape {
  fileprivate static let streamClass = words(StreamClass.allCases.map(\.word))
}
