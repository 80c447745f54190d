import LatchkeyModel

// Values that are written as a text of a certain form.

extension DeviceID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "([0-9A-Z]{4}-){8}[0-9A-Z*~$=]") }
  static var schemaSample: DeviceID { sample(DeviceID(bytes: [UInt8](repeating: 0, count: size))) }
}

extension DeviceName: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(minimumLength: 1) }
  static var schemaSample: DeviceName { DeviceName(sanitising: "name") }
}

extension CommandID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") }
  static var schemaSample: CommandID { CommandID(milliseconds: 0, random: [UInt8](repeating: 0, count: 10)) }
}

extension RecordID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "[0-9a-f]{32}") }
  static var schemaSample: RecordID { sample(RecordID(bytes: [UInt8](repeating: 0, count: 16))) }
}

extension AppID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(minimumLength: 1) }
  static var schemaSample: AppID { sample(AppID("app")) }
}

// Values with a choice, whose members depend on it.

extension SyncState: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    let whole = JSONValue.integer(minimum: 0)
    return .choice(
      by: "state",
      [
        ("idle", [:], []), ("connecting", [:], []), ("syncing", ["done": whole, "total": whole], []),
        ("synced", ["at": .integer()], []),
        ("error", ["reason": .text(), "nextTryInMilliseconds": .integer()], ["nextTryInMilliseconds"]),
      ])
  }
  static var schemaSample: SyncState { .idle }
}

extension QueueEntry.Content: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    .choice(
      by: "kind",
      [
        ("command", ["command": try book.schema(of: ConfigurationCommand.self)], []),
        ("receipt", ["receipt": try book.schema(of: CommandReceipt.self)], []),
        ("usage", ["usage": try book.schema(of: UsageRecord.self)], []),
        ("loss", ["loss": try book.schema(of: UsageLoss.self)], []), ("control", [:], []), ("unreadable", [:], []),
      ])
  }
  static var schemaSample: QueueEntry.Content { .control }
}

// What commands carry depends on their kind, which each kind documents in Protocol/06-messages.md.

extension CommandPayload: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { ["type": "object"] }
  static var schemaSample: CommandPayload { .requestReport }
}

extension StateInForce: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { ["type": "object"] }
  static var schemaSample: StateInForce { .unpaired }
}

extension CommandReceipt.Outcome: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { ["type": "object"] }
  static var schemaSample: CommandReceipt.Outcome { .expired }
}

extension CommandRequest.Action: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { ["type": "object"] }
  static var schemaSample: CommandRequest.Action { .requestReport }
}

/// Returns a sample that cannot be missing.
private func sample<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a sample of \(Value.self) is malformed") }
  return value
}
