import Testing

/// Returns a value that must be present, since `#require` does not accept a mutating call.
func unwrap<Value>(_ value: Value?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
  try #require(value, sourceLocation: sourceLocation)
}
