import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

/// A command that takes points from the purse of a child's machine, at most what the purse holds.
///
/// A parent issues it for the part of a deduction that the parent's own purse does not hold.
///
/// Spec: Protocol/12-facts.md §6.
public struct TakePoints: CommandDefinition {
  public static let kind: CommandKind = "takePoints"
  public static let title = Phrase("taking points")
  public static let states: [any CommandState.Type] = [PointsTaken.self]

  public var child: ChildID
  /// The milli-points to take, more than 0.
  public var milliPoints: Int64
  /// The present family day at the parent.
  public var day: FamilyDay
  /// The parent's reason, a *line* of 1 to 1,024 bytes.
  public var reason: String

  public init(child: ChildID, milliPoints: Int64, day: FamilyDay, reason: String) {
    (self.child, self.milliPoints, self.day, self.reason) = (child, milliPoints, day, reason)
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_TakePoints(wire: bytes)
      guard let child = ChildID(bytes: Array(message.child)) else { throw WireError("points of no child") }
      guard let day = FamilyDay(message.day) else { throw WireError("a day that does not exist") }
      return TakePoints(child: child, milliPoints: message.milliPoints, day: day, reason: message.reason)
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_TakePoints()
    message.child = WireBytes(child.bytes)
    message.milliPoints = milliPoints
    message.day = day.description
    message.reason = reason
    return message.wireBytes
  }

  public var fault: String? {
    if !(1...LedgerEntry.largest).contains(milliPoints) { return "Nothing is taken: give a number of points above 0." }
    return reason.isEmpty ? "A change of points needs a reason: give one." : TextRule.reason.fault(in: reason)
  }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    try transaction.checkServes(child)
    guard let source = RecordID(bytes: command.commandID.bytes) else { throw BodyFault("The command has no ID.") }
    var purse = try transaction.purse(of: child)
    let entry = purse.adjust(by: -milliPoints, source: source, day: day, at: transaction.wall, note: reason)
    if let entry { try transaction.add(entry, of: child) }
    return .done(StateInForce(PointsTaken(-(entry?.milliPoints ?? 0))))
  }

  public func isAnswered(by state: StateInForce) -> Bool {
    state.as(PointsTaken.self).map { (0...milliPoints).contains($0.milliPoints) } ?? false
  }

  /// Refuses every draft.
  ///
  /// Only the node issues this command, when a parent adjusts points.
  public static func fault(in draft: TakePoints) -> String? {
    "Points are changed with `latchkey points adjust`: run that."
  }

  public var summary: String { "take \(PointsText.counted(milliPoints)) away" }
}

public struct PointsTaken: CommandState {
  public static let kind: CommandKind = "pointsTaken"

  /// The milli-points that were taken, 0 or more.
  public var milliPoints: Int64

  public init(_ milliPoints: Int64) { self.milliPoints = milliPoints }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      PointsTaken(try Latchkey_V1_PointsTaken(wire: bytes).milliPoints)
    }
  }

  public var bytes: [UInt8] { Latchkey_V1_PointsTaken.with { $0.milliPoints = milliPoints }.wireBytes }

  public var summary: String { summary(on: "that machine") }
  public func summary(on machine: String) -> String {
    milliPoints == 0
      ? "There were no points left to take on \(machine)."
      : "\(PointsText.counted(milliPoints)) were taken away on \(machine)."
  }
}
