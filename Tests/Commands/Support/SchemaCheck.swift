/// Compares JSON with as much of JSON Schema as the local API's document uses.
struct SchemaCheck {
  let components: [String: JSONValue]

  /// Returns where a value is not as the schema says, or `nil` if it is.
  func fault(in value: JSONValue, _ schema: JSONValue, at path: String = "$") -> String? {
    guard case .object(let rules) = schema else { return "\(path): the schema is no object" }
    if case .text(let reference)? = rules["$ref"] {
      guard let name = reference.split(separator: "/").last, let component = components[String(name)] else {
        return "\(path): \(reference) is unknown"
      }
      return fault(in: value, component, at: path)
    }
    if case .list(let choices)? = rules["oneOf"] {
      let fitting = choices.filter { fault(in: value, $0, at: path) == nil }.count
      return fitting == 1 ? nil : "\(path): \(fitting) of the choices fit"
    }
    if case .list(let words)? = rules["enum"], !words.contains(value) { return "\(path): \(value) is none of \(words)" }
    if let word = rules["const"], word != value { return "\(path): \(value) is not \(word)" }
    return faultOfType(in: value, rules, at: path)
  }

  private func faultOfType(in value: JSONValue, _ rules: [String: JSONValue], at path: String) -> String? {
    switch (rules["type"], value) {
    case ("string"?, .text(let text)):
      guard case .text(let pattern)? = rules["pattern"] else { return nil }
      guard let expression = try? Regex(pattern) else { return "\(path): \(pattern) is no expression" }
      return text.wholeMatch(of: expression) == nil ? "\(path): \(text) does not fit \(pattern)" : nil
    case ("boolean"?, .boolean): return nil
    case ("integer"?, .integer(let number)):
      if case .integer(let minimum)? = rules["minimum"], number < minimum { return "\(path): \(number) is too small" }
      return nil
    // A UInt64 that no Int64 holds.
    case ("integer"?, .number(let number)): return number == number.rounded() ? nil : "\(path): \(number) is not whole"
    case ("number"?, .number), ("number"?, .integer): return nil
    case ("array"?, .list(let elements)):
      guard let element = rules["items"] else { return nil }
      return elements.enumerated().lazy.compactMap { fault(in: $1, element, at: "\(path)[\($0)]") }.first
    case ("object"?, .object(let members)): return fault(in: members, rules, at: path)
    default: return "\(path): \(value) is not of the type \(String(describing: rules["type"]))"
    }
  }

  private func fault(in members: [String: JSONValue], _ rules: [String: JSONValue], at path: String) -> String? {
    guard case .object(let known)? = rules["properties"] else { return nil }
    if case .list(let required)? = rules["required"] {
      for case .text(let name) in required where members[name] == nil { return "\(path): \(name) is missing" }
    }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      // The node sends no undocumented members, although a client would ignore them.
      guard let schema = known[name] else { return "\(path): \(name) is not described" }
      if let fault = fault(in: value, schema, at: "\(path).\(name)") { return fault }
    }
    return nil
  }
}
