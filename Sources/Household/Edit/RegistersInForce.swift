import LatchkeyModel
import LatchkeyWire

/// What a child's machine holds of the registers that an edit was about.
public struct RegistersInForce: CommandState {
  /// The name of the kind.
  public static let kind: CommandKind = "registers"

  /// The registers, in the order of the edit.
  public var registers: [Register]
  /// How far the machine holds to rules.
  public var enforcement: Enforcement?
  /// What the machine carries out otherwise than the registers say, or not at all.
  public var conditions: [MachineCondition]

  /// Creates a state.
  public init(_ registers: [Register], _ enforcement: Enforcement, but conditions: [MachineCondition] = []) {
    self.registers = registers
    self.enforcement = enforcement
    self.conditions = Array(conditions.prefix(MachineCondition.mostOfReceipt))
  }

  /// Reads a state.
  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_Registers(wire: bytes)
      return RegistersInForce(
        try message.value(), try Enforcement(wire: message.enforcement), but: try message.shortfalls())
    }
  }

  /// The state as it travels.
  public var bytes: [UInt8] { Latchkey_V1_Registers(registers, enforcement ?? .recorded, conditions).wireBytes }

  /// What holds, in a sentence in which the machine is called "there".
  public var summary: String { sentences(" there") }
  /// Returns what holds, in a sentence with the machine's name.
  public func summary(on machine: String) -> String { sentences(" on \(machine)") }
  /// Returns what holds, in a sentence with the machine's name and in the family's words.
  public func summary(on machine: String, _ terms: RuleTerms) -> String { sentences(" on \(machine)", terms) }
  /// What the machine claims to hold, for a sentence.
  public var claim: String { HouseholdKey.phrase(registers) }

  /// The first words of the keys of rules that close programs or sessions.
  private static let closing: Set = [
    "app", "category", "limits", "lock", "schedule", "sessions", "today", "unknownPrograms",
  ]

  /// A Boolean value that indicates whether any of the registers is a rule that closes programs or sessions.
  public var closes: Bool {
    registers.contains { Self.closing.contains($0.key.segments.first.map(String.init) ?? "") }
  }

  private func sentences(_ place: String, _ terms: RuleTerms = RuleTerms()) -> String {
    let phrase = HouseholdKey.phrase(registers, terms)
    var clauses: [String] = []
    for clause in conditions.map({ ShortfallText.clause($0, terms) }) where !clauses.contains(clause) {
      clauses.append(clause)
    }
    let but = clauses.map { " But \($0)." }.joined()
    return switch enforcement ?? .recorded {
    case .enforced: "In force\(place): \(phrase).\(but)"
    case .ownPrograms: "In force\(place), for the programs of Latchkey's own account only: \(phrase).\(but)"
    case .recorded where !closes: "Recorded\(place): \(phrase).\(but)"
    case .recorded where clauses.isEmpty:
      "Recorded\(place): \(phrase). Nothing enforces that there now: `latchkey doctor` says why."
    case .recorded:
      "Recorded\(place): \(phrase). Nothing enforces that there now: \(clauses.joined(separator: "; "))."
    }
  }
}
