import Testing

/// Give what is there; `#require` itself cannot be handed a call that changes its value.
func unwrap<Value>(_ value: Value?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
  try #require(value, sourceLocation: sourceLocation)
}
