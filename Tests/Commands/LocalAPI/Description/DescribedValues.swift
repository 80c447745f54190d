import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

// Values that are written as a text of a fixed form.

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

extension ChildID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") }
  static var schemaSample: ChildID { sample(ChildID(bytes: [UInt8](repeating: 0, count: 16))) }
}

extension FamilyDay: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}") }
  static var schemaSample: FamilyDay { .first }
}

extension RegisterKey: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(minimumLength: 1) }
  static var schemaSample: RegisterKey { "name" }
}

extension RecordID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(pattern: "[0-9a-f]{32}") }
  static var schemaSample: RecordID { sample(RecordID(bytes: [UInt8](repeating: 0, count: 16))) }
}

extension AppID: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(minimumLength: 1) }
  static var schemaSample: AppID { sample(AppID("app")) }
}

extension StreamClass: SchemaDescribing {
  static func schema(in book: SchemaBook) -> JSONValue { .text(choices: allCases.map(\.word)) }
  static var schemaSample: StreamClass { .command }
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

extension Register: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    let members: [String: JSONValue] = [
      "key": try book.schema(of: RegisterKey.self), "value": .text(),
      "modified": try book.schema(of: HybridTimestamp.self),
    ]
    return .choice(
      by: "zone",
      [
        ("family", members, ["value"]),
        ("child", members.merging(["id": try book.schema(of: ChildID.self)]) { $1 }, ["value"]),
        ("machine", members.merging(["id": try book.schema(of: DeviceID.self)]) { $1 }, ["value"]),
      ])
  }
  static var schemaSample: Register { Register(.family, .schemaSample, nil, modified: .never) }
}

// Values whose members depend on the kind of command, which the registry lists.

extension CommandPayload: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    .choice(by: "kind", try kinds.map { ($0.kind.rawValue, ["payload": try book.schema(of: $0)], []) })
  }
  static var schemaSample: CommandPayload { .requestReport }

  /// The kinds of command, in the order of their names.
  fileprivate static var kinds: [any CommandDefinition.Type] {
    let registry = CommandRegistry.household
    return registry.kinds.compactMap { registry.definition($0) }
  }
}

extension StateInForce: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    var named: [String: [String: JSONValue]] = [:]
    let states: [any CommandState.Type] = CommandPayload.kinds.flatMap { $0.states } + [Done.self]
    for state in states { named[state.kind.rawValue] = try members(of: state, book) }
    return .choice(by: "kind", named.sorted { $0.key < $1.key }.map { ($0.key, $0.value, []) })
  }

  private static func members<State: CommandState>(
    of type: State.Type, _ book: SchemaBook
  ) throws -> [String: JSONValue] {
    ["state": try book.schema(of: type)]
  }

  static var schemaSample: StateInForce { StateInForce(Done()) }
}

extension CommandReceipt: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    .structure(
      [
        "commandID": try book.schema(of: CommandID.self), "at": .integer(),
        "outcome": .text(choices: ["executed", "failed", "expired", "superseded", "underWay"]),
        "state": try book.schema(of: StateInForce.self), "reason": .text(), "waitsFor": .text(),
        "phrase": try book.schema(of: Phrase.self),
      ], optional: ["state", "reason", "waitsFor", "phrase"])
  }
  static var schemaSample: CommandReceipt { CommandReceipt(commandID: .schemaSample, outcome: .expired, at: 0) }
}

extension CommandRequest: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    .choice(
      by: "kind",
      try CommandPayload.kinds.map { type in
        let members: [String: JSONValue] = [
          "device": .text(minimumLength: 1), "expiresAfter": .integer(minimum: 0), "payload": try draft(of: type, book),
        ]
        return (type.kind.rawValue, members, ["expiresAfter"])
      })
  }
  static var schemaSample: CommandRequest { CommandRequest(device: "device", action: .requestReport) }

  private static func draft<Command: CommandDefinition>(of type: Command.Type, _ book: SchemaBook) throws -> JSONValue {
    try book.schema(of: Command.Draft.self)
  }
}

/// Returns a sample value; traps if it is missing, which is a fault of this file.
private func sample<Value>(_ value: Value?) -> Value {
  guard let value else { preconditionFailure("a sample of \(Value.self) is malformed") }
  return value
}

// Settings, which the table of rules names.

extension FamilySettings: SchemaDescribing {
  static func schema(in book: SchemaBook) throws -> JSONValue {
    var members: [String: JSONValue] = [:]
    for member in Self.members {
      members[member.name] = member.isNumber ? try book.schema(of: Int64.self) : .text()
    }
    return .structure(members, optional: Set(Self.members.filter { $0.usual == nil }.map(\.name)))
  }
  static var schemaSample: FamilySettings { FamilySettings(RuleSet()) }
}
