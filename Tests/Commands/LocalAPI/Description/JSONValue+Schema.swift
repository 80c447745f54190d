/// JSON Schemas, as OpenAPI 3.1 writes them.
extension JSONValue {
  /// Returns the schema of a text.
  ///
  /// - Parameters:
  ///   - minimumLength: The smallest number of characters.
  ///   - pattern: A regular expression that the whole text matches.
  /// - Returns: A JSON schema.
  static func text(minimumLength: Int = 0, pattern: String? = nil) -> JSONValue {
    var members: [String: JSONValue] = ["type": "string"]
    if minimumLength > 0 { members["minLength"] = .integer(Int64(minimumLength)) }
    if let pattern { members["pattern"] = .text("^" + pattern + "$") }
    return .object(members)
  }

  /// Returns the schema of a text that is one of some words.
  static func text(choices: [String]) -> JSONValue {
    ["type": "string", "enum": .list(choices.map { .text($0) })]
  }

  /// Returns the schema of an integer.
  ///
  /// - Parameters:
  ///   - minimum: The smallest value.
  ///   - maximum: The largest value.
  ///   - usual: The value of a request that omits the number.
  /// - Returns: A JSON schema.
  static func integer(minimum: Int64? = nil, maximum: Int64? = nil, usual: Int? = nil) -> JSONValue {
    var members: [String: JSONValue] = ["type": "integer"]
    if let minimum { members["minimum"] = .integer(minimum) }
    if let maximum { members["maximum"] = .integer(maximum) }
    if let usual { members["default"] = .integer(Int64(usual)) }
    return .object(members)
  }

  /// Returns the schema of an object.
  ///
  /// - Parameters:
  ///   - members: The schema of each member.
  ///   - optional: The names of the members that may be absent.
  /// - Returns: A JSON schema.
  static func structure(_ members: [String: JSONValue], optional: Set<String> = []) -> JSONValue {
    var schema: [String: JSONValue] = ["type": "object", "properties": .object(members)]
    let required = members.keys.filter { !optional.contains($0) }.sorted()
    if !required.isEmpty { schema["required"] = .list(required.map { .text($0) }) }
    return .object(schema)
  }

  /// Returns the schema of an object in which one member determines the others.
  ///
  /// - Parameters:
  ///   - name: The name of the determining member.
  ///   - choices: Each of its words, with the schemas of the other members.
  /// - Returns: A JSON schema.
  static func choice(by name: String, _ choices: [(word: String, members: [String: JSONValue], optional: Set<String>)])
    -> JSONValue
  {
    [
      "oneOf": .list(
        choices.map { choice in
          structure(
            choice.members.merging([name: ["type": "string", "const": .text(choice.word)]]) { $1 },
            optional: choice.optional)
        })
    ]
  }
}
