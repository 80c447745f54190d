/// The structure that a type requested from its decoder.
final class Shape {
  enum Kind {
    /// A single value.
    case value(JSONValue)
    /// A list, with the schema of its elements.
    case list(JSONValue)
    case object([String: JSONValue], optional: Set<String>)
  }

  var kind = Kind.object([:], optional: [])

  /// Records a member of an object.
  func note(_ name: String, _ schema: JSONValue) {
    guard case .object(var members, let optional) = kind else { return }
    members[name] = schema
    kind = .object(members, optional: optional)
  }

  /// Records that a member may be absent.
  func noteOptional(_ name: String) {
    guard case .object(let members, var optional) = kind else { return }
    optional.insert(name)
    kind = .object(members, optional: optional)
  }
}

/// A decoder that supplies a sample of each requested value and records the request.
struct ShapeDecoder: Decoder {
  let book: SchemaBook
  let shape: Shape
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(book: book, shape: shape))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Elements(book: book, shape: shape) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(book: book, shape: shape) }

  /// The error for types with nested containers, which must conform to `SchemaDescribing`.
  static var unsupported: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a container that the shape of a type does not show"))
  }
}

/// The members of an object, each of which is present.
///
/// A type shows that a member may be absent by asking whether it is `null`.
private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let book: SchemaBook
  let shape: Shape
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }

  func decodeNil(forKey key: Key) throws -> Bool {
    shape.noteOptional(key.stringValue)
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let (schema, sample) = try book.describe(type)
    shape.note(key.stringValue, schema)
    return sample
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw ShapeDecoder.unsupported }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw ShapeDecoder.unsupported
  }

  func superDecoder() throws -> any Decoder { throw ShapeDecoder.unsupported }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw ShapeDecoder.unsupported }
}

/// A list of one element.
private struct Elements: UnkeyedDecodingContainer {
  let book: SchemaBook
  let shape: Shape
  var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 1 }
  var isAtEnd: Bool { currentIndex > 0 }

  mutating func decodeNil() throws -> Bool { false }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (schema, sample) = try book.describe(type)
    shape.kind = .list(schema)
    currentIndex += 1
    return sample
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { throw ShapeDecoder.unsupported }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw ShapeDecoder.unsupported }
  mutating func superDecoder() throws -> any Decoder { throw ShapeDecoder.unsupported }
}

/// A value that is neither an object nor a list.
private struct Single: SingleValueDecodingContainer {
  let book: SchemaBook
  let shape: Shape
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (schema, sample) = try book.describe(type)
    shape.kind = .value(schema)
    return sample
  }
}
