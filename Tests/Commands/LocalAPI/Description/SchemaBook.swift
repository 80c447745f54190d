/// A generator of JSON Schemas that derives the schema of a type from its decoding, so that the two
/// cannot differ.
///
/// A type is decoded from a decoder that has every member and records each request. A type with a
/// special form, such as an ID, describes itself; see `SchemaDescribing`.
final class SchemaBook {
  /// The schemas of objects by the names of their types.
  private(set) var components: [String: JSONValue] = [:]

  init() {}

  /// Returns the schema of a type, which may be a reference to a component.
  func schema<Value: Decodable>(of type: Value.Type) throws -> JSONValue {
    try describe(type).schema
  }

  /// Returns the schema of a type and any value of the type, which decoding goes on with.
  func describe<Value: Decodable>(_ type: Value.Type) throws -> (schema: JSONValue, sample: Value) {
    if let describing = type as? any SchemaDescribing.Type {
      return (try component(of: describing), try Self.cast(describing.schemaSample))
    }
    if let choices = type as? any CaseIterable.Type, let words = Self.words(of: choices), let first = words.first {
      return (.object(["type": first.type, "enum": .list(words.map(\.word))]), try Self.cast(first.value))
    }
    if let primitive = Self.primitive(type) { return (primitive.schema, try Self.cast(primitive.sample)) }
    let shape = Shape()
    let sample = try Value(from: ShapeDecoder(book: self, shape: shape))
    switch shape.kind {
    case .value(let schema): return (schema, sample)
    case .list(let element): return (["type": "array", "items": element], sample)
    case .object(let members, let optional):
      return (reference(Self.name(of: type), .structure(members, optional: optional)), sample)
    }
  }

  private func component<Value: SchemaDescribing>(of type: Value.Type) throws -> JSONValue {
    reference(Self.name(of: type), try Value.schema(in: self))
  }

  private func reference(_ name: String, _ schema: JSONValue) -> JSONValue {
    components[name] = schema
    return ["$ref": .text("#/components/schemas/" + name)]
  }

  /// The name of a type without its module, such as `UsagePage.Session`.
  private static func name(of type: any Any.Type) -> String {
    String(String(reflecting: type).drop { $0 != "." }.dropFirst())
  }

  private static func cast<Value>(_ sample: Any) throws -> Value {
    guard let sample = sample as? Value else {
      throw DecodingError.typeMismatch(
        Value.self, .init(codingPath: [], debugDescription: "a sample of another type: \(sample)"))
    }
    return sample
  }

  /// Returns the words or numbers of an enumeration.
  private static func words<Choice: CaseIterable>(
    of type: Choice.Type
  ) -> [(word: JSONValue, type: JSONValue, value: Any)]? {
    let found = type.allCases.compactMap { value -> (word: JSONValue, type: JSONValue, value: Any)? in
      switch (value as? any RawRepresentable)?.rawValue {
      case let word as String: (.text(word), "string", value)
      case let number as any BinaryInteger: (.integer(Int64(number)), "integer", value)
      default: nil
      }
    }
    return found.count == type.allCases.count ? found : nil
  }

  private static func primitive(_ type: any Any.Type) -> (schema: JSONValue, sample: Any)? {
    switch type {
    case is String.Type: (.text(), "")
    case is Bool.Type: (["type": "boolean"], false)
    case is Double.Type: (["type": "number"], 0.0)
    case is Int.Type: (.integer(), 0)
    case is Int32.Type: (["type": "integer", "format": "int32"], Int32(0))
    case is Int64.Type: (["type": "integer", "format": "int64"], Int64(0))
    case is UInt8.Type: (.integer(minimum: 0), UInt8(0))
    case is UInt32.Type: (.integer(minimum: 0), UInt32(0))
    case is UInt64.Type: (.integer(minimum: 0), UInt64(0))
    default: nil
    }
  }
}

/// A type that says itself how it is written in JSON.
protocol SchemaDescribing: Decodable {
  static func schema(in book: SchemaBook) throws -> JSONValue
  /// Any value of the type.
  static var schemaSample: Self { get }
}
