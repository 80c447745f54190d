import LatchkeyModel

/// What a made-up kind of command sets: a thing for which the newest command wins.
///
/// No kind of this version does that; the mechanism is kept, and tested with this one.
public struct SampleRule: Hashable, Sendable, Codable {
  /// The name of the thing; one that begins with `family` is the same on all machines.
  public var id: String
  /// The value.
  public var level: Int64
  /// A Boolean value that indicates whether the thing is set no more.
  public var isRemoved: Bool
  /// The time of the edit.
  public var modified: HybridTimestamp

  /// Creates a rule.
  public init(_ id: String, level: Int64 = 0, isRemoved: Bool = false, modified: HybridTimestamp) {
    self.id = id
    self.level = level
    self.isRemoved = isRemoved
    self.modified = modified
  }

  /// Creates the removal of a thing.
  public static func removal(of id: String, modified: HybridTimestamp) -> SampleRule {
    SampleRule(id, isRemoved: true, modified: modified)
  }
}

extension Samples {
  /// Returns a random rule of the made-up kind.
  public static func rule(_ random: inout SeededRandom, modified: HybridTimestamp? = nil) -> SampleRule {
    SampleRule(
      "thing\(random.below(1_000_000))", level: Int64(random.below(1_000_000)),
      modified: modified
        ?? HybridTimestamp(
          wall: Int64.random(in: 0..<(1 << 47), using: &random),
          counter: UInt32.random(in: 0...UInt32.max, using: &random), author: deviceID(&random)))
  }
}

/// The state that the made-up kind reports.
public struct SampleState: CommandState {
  /// The name of the kind.
  public static let kind: CommandKind = "testSetting"

  /// The rule.
  public var rule: SampleRule
  /// How far the machine enforces it.
  public var enforcement: Enforcement?

  /// Creates a state.
  public init(_ rule: SampleRule, _ enforcement: Enforcement? = .recorded) {
    self.rule = rule
    self.enforcement = enforcement
  }

  /// Creates a state from its bytes.
  public init(bytes: [UInt8]) throws(BodyFault) {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard parts.count == 7, let level = Int64(parts[1]), let wall = Int64(parts[3]), let counter = UInt32(parts[4]),
      HybridTimestamp.walls.contains(wall), let author = DeviceID(String(parts[5]))
    else { throw BodyFault("No setting.") }
    rule = SampleRule(
      String(parts[0]), level: level, isRemoved: parts[2] == "removed",
      modified: HybridTimestamp(wall: wall, counter: counter, author: author))
    enforcement = Enforcement(rawValue: String(parts[6]))
  }

  /// The state as bytes.
  public var bytes: [UInt8] {
    let time = rule.modified
    let parts = [
      rule.id, "\(rule.level)", rule.isRemoved ? "removed" : "set", "\(time.wall)", "\(time.counter)",
      time.author.description, enforcement?.rawValue ?? "",
    ]
    return Array(parts.joined(separator: "\n").utf8)
  }

  /// The key of the thing.
  public var thing: String? { SampleThing(rule.id).key }
  /// The time of the edit.
  public var setAt: HybridTimestamp? { rule.modified }
  /// A Boolean value that indicates whether nothing is set.
  public var isNothing: Bool { rule.isRemoved }
  /// The state in words.
  public var summary: String { "\(rule.id) is \(rule.isRemoved ? "removed" : "\(rule.level)")." }
  /// The state as a phrase.
  public var claim: String { "\(rule.level) for \(rule.id)" }
}

/// The thing that the made-up kind sets.
public struct SampleThing: HouseholdThing {
  let id: String

  /// Creates a thing.
  public init(_ id: String) { self.id = id }

  /// The key of the thing.
  public var key: String { "testSetting:" + id }
  /// A Boolean value that indicates whether it is the same on all machines.
  public var isFamilyWide: Bool { id.hasPrefix("family") }

  /// Returns what a child's machine holds.
  public func held(in transaction: inout some EffectTransaction) throws -> StateInForce? {
    try transaction.value(key, on: transaction.own).map {
      StateInForce(try SampleState(bytes: $0)).with(transaction.enforcement)
    }
  }

  /// Holds a state on a child's machine.
  public func hold(_ state: StateInForce, in transaction: inout some EffectTransaction) throws {
    try transaction.set(key, on: transaction.own, to: state.value.bytes)
  }

  /// Returns what a parent shows.
  public func shown(on device: DeviceID, in transaction: inout some EffectTransaction) throws -> ShownState {
    let bytes = try transaction.value(key, on: isFamilyWide ? transaction.own : device)
    guard let bytes else { return ShownState(nil) }
    let state = try SampleState(bytes: bytes)
    return ShownState(StateInForce(SampleState(state.rule)), isFamilyWide ? nil : state.enforcement)
  }

  /// Shows a state.
  public func show(
    _ shown: ShownState, on device: DeviceID, isNews: Bool, in transaction: inout some EffectTransaction
  ) throws {
    let state = shown.state?.as(SampleState.self).map { SampleState($0.rule, shown.enforcement) }
    try transaction.set(key, on: isFamilyWide ? transaction.own : device, to: state?.bytes)
  }
}

/// A command of the made-up kind.
public struct SetSample: CommandDefinition {
  /// The name of the kind.
  public static let kind: CommandKind = "testSetting"
  /// The states that it may report.
  public static let states: [any CommandState.Type] = [SampleState.self]

  /// The rule.
  public var rule: SampleRule

  /// Creates a command.
  public init(_ rule: SampleRule) { self.rule = rule }
  /// Creates a command from its bytes.
  public init(bytes: [UInt8]) throws(BodyFault) { rule = try SampleState(bytes: bytes).rule }

  /// The command as bytes.
  public var bytes: [UInt8] { SampleState(rule).bytes }
  /// The state that it sets.
  public var desired: DesiredState? {
    DesiredState(SampleThing(rule.id), StateInForce(SampleState(rule)), modified: rule.modified)
  }
  /// The command in words.
  public var summary: String { "set \(rule.id) to \(rule.isRemoved ? "nothing" : "\(rule.level)")" }
}

extension CommandPayload {
  /// Returns a command of the made-up kind.
  public static func sample(_ rule: SampleRule) -> CommandPayload { CommandPayload(SetSample(rule)) }
}

extension StateInForce {
  /// Returns a state of the made-up kind.
  public static func sample(_ rule: SampleRule, _ enforcement: Enforcement = .recorded) -> StateInForce {
    StateInForce(SampleState(rule, enforcement))
  }
}
