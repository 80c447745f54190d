import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

/// A command that edits registers on a child's machine.
///
/// Each register takes effect by itself. The edit with the later hybrid time wins.
///
/// Spec: Protocol/10-household.md §2.
public struct Edit: CommandDefinition {
  public static let kind: CommandKind = "edit"
  public static let title = Phrase("a change of rules")
  public static let states: [any CommandState.Type] = [RegistersInForce.self]
  /// The time in which an agent can confirm that an edit is in force, in milliseconds.
  ///
  /// A node that was started again asks the agent once more.
  public static let agentMilliseconds: Int64 = 60_000

  /// The registers to set: 1 to 128, each once.
  public var registers: [Register]

  public init(_ registers: [Register]) { self.registers = registers }

  public init(bytes: [UInt8]) throws(BodyFault) {
    registers = try BodyFault.reading { () throws(WireError) in try Latchkey_V1_Registers(wire: bytes).value() }
  }

  public var bytes: [UInt8] { Latchkey_V1_Registers(registers).wireBytes }

  public var fault: String? { registers.isEmpty ? "The edit changes nothing: name what is to be set." : nil }

  /// Merges the registers with those that the machine holds.
  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    // If one register is refused, no part of the edit takes effect.
    for register in registers { try check(register, of: command, on: transaction.own) }
    let children = Set(try childrenAfterwards(in: &transaction))
    for case .child(let child) in registers.map(\.zone) where !children.contains(child) {
      throw BodyFault.notTheChilds
    }
    var changed: [Register] = []
    var isOvertaken = true
    for register in registers {
      let held = try transaction.register(register.key, in: register.zone)
      if let held, held == register {
        isOvertaken = false
        continue
      }
      if let held, !register.holds(over: held) { continue }
      if held == nil, try transaction.registers(in: register.zone).count >= Limits.zoneRegisters {
        throw BodyFault(
          phrase: Phrase("That machine holds 4,096 settings of one kind and takes no more: remove some of them first."))
      }
      isOvertaken = false
      try transaction.save(register)
      changed.append(register)
    }
    // The answer to the edit is read before zones are dropped.
    let state = StateInForce(RegistersInForce(try held(in: &transaction), transaction.enforcement))
    try Self.dropForeignZones(in: &transaction)
    try transaction.tell(changed)
    // The parent that assigned this machine to a child needs the child's facts.
    let present = Set(HouseholdKey.children(servedIn: try transaction.registers(in: .machine(transaction.own))))
    for child in registers.compactMap(\.servedChild) where present.contains(child) {
      try transaction.offerFacts(of: child, to: command.author)
    }
    if isOvertaken { return .superseded(state) }
    guard transaction.awaitsAgent else { return .done(state) }
    return .underWay(EffectWait("the agent", within: Self.agentMilliseconds, held: state.with(.recorded)))
  }

  private func check(_ register: Register, of command: CommandContext, on own: DeviceID) throws(BodyFault) {
    guard register.modified.author == command.author else {
      throw BodyFault("The edit has another author than the device that sent it.")
    }
    if case .machine(let device) = register.zone, device != own {
      throw BodyFault("The edit is of another machine.")
    }
  }

  /// Returns the children whom this machine serves once the edit is in force.
  private func childrenAfterwards(in transaction: inout some EffectTransaction) throws -> [ChildID] {
    var map = RegisterMap(try transaction.registers(in: .machine(transaction.own)))
    for register in registers { map.merge(register) }
    return HouseholdKey.children(servedIn: map.registers(in: .machine(transaction.own)))
  }

  /// Returns the registers that the machine holds in the places of the edit, in the edit's order.
  private func held(in transaction: inout some EffectTransaction) throws -> [Register] {
    var held: [Register] = []
    for register in registers {
      if let present = try transaction.register(register.key, in: register.zone) { held.append(present) }
    }
    return held
  }

  /// Forgets the zones of children whom this machine does not serve, because a machine holds no
  /// data of other children.
  private static func dropForeignZones(in transaction: inout some EffectTransaction) throws {
    let own = transaction.own
    let children = Set(HouseholdKey.children(servedIn: try transaction.registers(in: .machine(own))))
    for zone in try transaction.zones() {
      if case .child(let child) = zone, !children.contains(child) { try transaction.forget(zone) }
    }
  }

  public func isAnswered(by state: StateInForce) -> Bool {
    guard let held = state.as(RegistersInForce.self)?.registers, isAbout(held) else { return false }
    return zip(registers, held).contains { $0 == $1 } && zip(registers, held).allSatisfy { !$0.holds(over: $1) }
  }

  /// Returns whether a state shows that later edits have overtaken all registers.
  public func isOvertaken(by state: StateInForce) -> Bool {
    guard let held = state.as(RegistersInForce.self)?.registers, isAbout(held) else { return false }
    return zip(registers, held).allSatisfy { $1.holds(over: $0) }
  }

  private func isAbout(_ held: [Register]) -> Bool {
    held.map { RegisterMap.Place($0.zone, $0.key) } == registers.map { RegisterMap.Place($0.zone, $0.key) }
  }

  /// Stores the machine's registers that this parent has not set, or has lost.
  public func answered(
    with state: StateInForce, by device: DeviceID, in transaction: inout some EffectTransaction
  ) throws {
    guard let held = state.as(RegistersInForce.self)?.registers, isAbout(held) else { return }
    try transaction.note(held, by: device)
    // The machine now serves the child, and accepts the child's facts.
    let served = Set(HouseholdKey.children(servedIn: try transaction.registers(in: .machine(device))))
    for child in held.compactMap(\.servedChild) where served.contains(child) {
      try transaction.offerFacts(of: child, to: device)
    }
  }

  /// Refuses every draft.
  ///
  /// Only the node makes edits, because it also sets the registers at the parent.
  public static func fault(in draft: Edit) -> String? {
    "Settings are changed through the routes of what they are about, such as children: ask for the change there."
  }

  public var summary: String { HouseholdKey.phrase(registers) }
}

/// The registers of a child's machine in the places of an edit.
public struct RegistersInForce: CommandState {
  public static let kind: CommandKind = "registers"

  /// The registers, in the order of the edit.
  public var registers: [Register]
  /// The machine's statement on how far it enforces rules; `nil` if it has made none.
  public var enforcement: Enforcement?
  /// The names of the parts of the edit that the machine carries out otherwise, or not at all: see
  /// `RuleException`.
  public var exceptions: [String]

  public init(_ registers: [Register], _ enforcement: Enforcement, exceptions: [String] = []) {
    (self.registers, self.enforcement) = (registers, enforcement)
    self.exceptions = Array(exceptions.prefix(Limits.receiptExceptions))
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_Registers(wire: bytes)
      return RegistersInForce(
        try message.value(), try Enforcement(wire: message.enforcement), exceptions: try message.exceptionNames())
    }
  }

  public var bytes: [UInt8] {
    Latchkey_V1_Registers(registers, enforcement ?? .recorded, exceptions: exceptions).wireBytes
  }

  public var summary: String { sentences(" there") }
  public func summary(on machine: String) -> String { sentences(" on \(machine)") }
  /// Returns the state as a sentence with the machine's name and the family's names.
  public func summary(on machine: String, _ terms: RuleTerms) -> String { sentences(" on \(machine)", terms) }
  public var claim: String { HouseholdKey.phrase(registers) }

  private func sentences(_ place: String, _ terms: RuleTerms = RuleTerms()) -> String {
    let phrase = HouseholdKey.phrase(registers, terms)
    let app = registers.lazy.compactMap { RuleKey($0.key)?.application }.first.map(terms.argument)
    let isOpen = enforcement ?? .recorded == .recorded
    let but = exceptions.map { name in
      // If something is not carried out at all, a person has to act.
      let next = isOpen ? ConditionKind.receiptNext(of: name, app: app, whose: terms.whose).map { " " + $0 } : nil
      return " " + ConditionKind.receiptSentence(of: name, isOfSeveral: app == nil) + (next ?? "")
    }.joined()
    return switch enforcement ?? .recorded {
    case .enforced: "In force\(place): \(phrase).\(but)"
    case .ownPrograms: "In force\(place), for the programs of Latchkey's own account only: \(phrase).\(but)"
    // The exceptions name what is enforced there.
    case .recorded
    where closesSomething && exceptions.contains(where: Self.isSelfExplanatory)
      && !exceptions.contains(where: Self.leavesAllOpen):
      "Recorded\(place): \(phrase).\(but)"
    case .recorded where closesSomething:
      "Recorded\(place): \(phrase). Nothing enforces that there now\(but.isEmpty ? ": `latchkey doctor` says why." : ".\(but)")"
    case .recorded: "Recorded\(place): \(phrase)."
    }
  }

  /// Returns whether an exception names what applies instead of the edit: another rule, or that
  /// unknown programs are allowed and not counted.
  private static func isSelfExplanatory(_ name: String) -> Bool {
    HeldRules.Rival(rawValue: name) != nil || name == "unknown-not-counted"
  }

  /// Returns whether an exception says that the machine enforces no rule for the child.
  private static func leavesAllOpen(_ name: String) -> Bool {
    name == "not-there" || ConditionKind.named(name)?.weight == .fault
  }

  /// A Boolean value that indicates whether the registers hold a rule that closes programs or
  /// sessions.
  public var closesSomething: Bool { registers.contains { RuleKey($0.key)?.entry.effects.contains(.closes) == true } }
}
