import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules

/// A command that decides about held learning on a child's machine.
///
/// The first decision that reaches the machine counts.
///
/// Spec: Protocol/12-facts.md §6.
public struct ReviewLearning: CommandDefinition {
  public static let kind: CommandKind = "reviewLearning"
  public static let title = Phrase("a review of learning")
  public static let states: [any CommandState.Type] = [LearningReviewed.self]

  public var child: ChildID
  public var record: RecordID
  /// A Boolean value that indicates whether the learning earns its points.
  public var isApproved: Bool

  public init(child: ChildID, record: RecordID, isApproved: Bool) {
    (self.child, self.record, self.isApproved) = (child, record, isApproved)
  }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      let message = try Latchkey_V1_ReviewLearning(wire: bytes)
      guard let child = ChildID(bytes: Array(message.child)), let record = RecordID(bytes: Array(message.record)) else {
        throw WireError("learning without a child or a record")
      }
      return ReviewLearning(child: child, record: record, isApproved: message.isApproved)
    }
  }

  public var bytes: [UInt8] {
    var message = Latchkey_V1_ReviewLearning()
    message.child = WireBytes(child.bytes)
    message.record = WireBytes(record.bytes)
    message.isApproved = isApproved
    return message.wireBytes
  }

  public func execute(_ command: CommandContext, in transaction: inout some EffectTransaction) throws -> EffectOutcome {
    try transaction.checkServes(child)
    var purse = try transaction.purse(of: child)
    let rules = try transaction.rules(of: child)
    if let entry = purse.review(record, isApproved: isApproved, rules: rules, at: transaction.wall) {
      try transaction.add(entry, of: child)
      return .done(StateInForce(LearningReviewed(entry.milliPoints)))
    }
    let id = EntryID(purse: transaction.own, kind: .reviewed, source: record)
    guard let earlier = purse.ledger.entries[id] else {
      return .failed(reason: "That learning does not wait for a review: see `latchkey points`.")
    }
    return .superseded(StateInForce(LearningReviewed(earlier.milliPoints)))
  }

  /// Returns whether a state shows that another decision came first.
  public func isOvertaken(by state: StateInForce) -> Bool { state.as(LearningReviewed.self) != nil }

  /// Refuses every draft.
  ///
  /// Only the node issues this command, when a parent reviews learning.
  public static func fault(in draft: ReviewLearning) -> String? {
    "Learning is reviewed with `latchkey points review`: run that."
  }

  public var summary: String { isApproved ? "let learning count" : "let learning not count" }
}

public struct LearningReviewed: CommandState {
  public static let kind: CommandKind = "learningReviewed"

  public var milliPoints: Int64

  public init(_ milliPoints: Int64) { self.milliPoints = milliPoints }

  public init(bytes: [UInt8]) throws(BodyFault) {
    self = try BodyFault.reading { () throws(WireError) in
      LearningReviewed(try Latchkey_V1_LearningReviewed(wire: bytes).milliPoints)
    }
  }

  public var bytes: [UInt8] { Latchkey_V1_LearningReviewed.with { $0.milliPoints = milliPoints }.wireBytes }

  public var summary: String {
    milliPoints == 0 ? "That learning earned nothing." : "That learning earned \(PointsText.counted(milliPoints))."
  }
}
