/// A service that delivers parents' notices to another place than this machine's desktop.
public enum ReceiverKind: String, Hashable, Sendable, Codable, CaseIterable { case ntfy, webhook, mqtt }

/// Something that a parent allows a receiver to do; each of them may read.
public enum ReceiverRight: String, Hashable, Sendable, Codable, CaseIterable {
  /// Answers children's requests.
  case answer
  /// Grants more time for today.
  case grant
  case lock
  case points
}

/// A receiver as a parent has set it up, as `GET /v1/receivers` shows it.
///
/// Spec: Protocol/14-bridge.md §1.
public struct ReceiverListing: Hashable, Sendable, Codable {
  public var name: String
  public var kind: ReceiverKind
  /// What it may do, in the order of `ReceiverRight`.
  public var rights: [ReceiverRight]
  /// The most minutes that it may give in a day, by grants and answers together.
  public var mostMinutes: Int
  public var usedMinutes: Int
  /// The most milli-points that it may give in a day.
  public var mostMilliPoints: Int64
  public var usedMilliPoints: Int64
  /// When it was set up, in Unix milliseconds.
  public var addedAt: Int64
  /// A Boolean value that indicates whether its bridge runs and follows the changes at this node.
  public var isRunning: Bool
  /// The fault that its bridge reports, with the next step; `nil` for none.
  public var fault: String?
  /// The time since which the fault exists, in Unix milliseconds.
  public var faultSince: Int64?

  public init(
    name: String, kind: ReceiverKind, rights: [ReceiverRight], mostMinutes: Int, usedMinutes: Int,
    mostMilliPoints: Int64, usedMilliPoints: Int64, addedAt: Int64, isRunning: Bool, fault: String? = nil,
    faultSince: Int64? = nil
  ) {
    (self.name, self.kind, self.rights, self.addedAt, self.mostMinutes) = (name, kind, rights, addedAt, mostMinutes)
    (self.usedMinutes, self.mostMilliPoints, self.usedMilliPoints) = (usedMinutes, mostMilliPoints, usedMilliPoints)
    (self.isRunning, self.fault, self.faultSince) = (isRunning, fault, faultSince)
  }
}

/// `POST /v1/receivers`: a new receiver, which replaces another one of that name.
public struct NewReceiver: Hashable, Sendable, Codable, CheckedRequest {
  /// 1 to 32 lower-case letters, digits and hyphens, beginning with a letter.
  public var name: String
  public var kind: ReceiverKind
  public var rights: [ReceiverRight]
  /// 0 to 1,440.
  public var mostMinutes: Int
  /// 0 to 1,000,000,000.
  public var mostMilliPoints: Int64

  public init(
    name: String, kind: ReceiverKind, rights: [ReceiverRight] = [], mostMinutes: Int = 0, mostMilliPoints: Int64 = 0
  ) {
    (self.name, self.kind, self.rights) = (name, kind, rights)
    (self.mostMinutes, self.mostMilliPoints) = (mostMinutes, mostMilliPoints)
  }

  public var textFault: String? {
    guard Self.isName(name) else {
      return "A receiver's name is 1 to 32 lower-case letters, digits and hyphens, such as phone: give another one."
    }
    if name == "desktop" { return "The name desktop is that of this machine's own notices: give another one." }
    if !(0...1_440).contains(mostMinutes) { return "The minutes for a day are 0 to 1,440: give a number, such as 60." }
    if !(0...1_000_000_000).contains(mostMilliPoints) {
      return "The points for a day are 0 to 1,000,000: give a number, such as 100."
    }
    return nil
  }

  /// Returns whether a text can be a receiver's name, which is part of a file's and a unit's name.
  public static func isName(_ text: String) -> Bool {
    guard text.utf8.first?.isLowercaseLetter == true, text.utf8.count <= 32 else { return false }
    return text.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
  }
}

/// The answer to `POST /v1/receivers`.
public struct AddedReceiver: Hashable, Sendable, Codable {
  public var receiver: ReceiverListing
  /// The secret of its bridge on the bridge's socket, shown once: 64 hexadecimal digits.
  public var token: String

  public init(receiver: ReceiverListing, token: String) { (self.receiver, self.token) = (receiver, token) }
}

/// `POST /v1/receivers/{receiver}/state`: a bridge's report on the server that it delivers to.
public struct ReceiverState: Hashable, Sendable, Codable, CheckedRequest {
  /// The fault, with the next step; `nil` for none.
  public var fault: String?

  public init(fault: String?) { self.fault = fault }

  public var textFault: String? { fault.flatMap { TextRule.receiverFault.fault(in: $0) } }
}

extension TextRule {
  /// A fault that a bridge reports.
  fileprivate static let receiverFault = TextRule(what: "The fault", bytes: 1...500, characters: .visible)
}

/// A notice that parents get once, as `GET /v1/notices` shows it.
///
/// Spec: Protocol/07-local-api.md §4.
public struct ParentNotice: Hashable, Sendable, Codable {
  /// The kind of a notice.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A child asks for time or for an application.
    case asked
    /// A child has used up a limit.
    case limitReached
    /// A child's machine has been silent for two days.
    case machineSilent
    /// A machine that was silent is there again.
    case machineBack
    /// Something on a child's machine weakens the rules.
    case rulesWeakened
    /// A rule that was set an hour ago is not in force on a machine.
    case ruleNotInForce
    /// Another parent's machine has joined.
    case parentJoined
    /// Learning waits for a parent's review.
    case learningHeld
  }

  /// Its number, which grows with each notice, also from one start of the node to the next.
  public var number: Int
  public var kind: Kind
  /// The subject of the notice.
  ///
  /// A shown notice replaces earlier ones with the same key.
  public var key: String
  public var child: DeviceName?
  public var device: DeviceName?
  /// The child's requests that wait for an answer, the oldest first.
  public var requests: [CommandID] = []
  public var sentence: String
  /// The time of the notice in Unix milliseconds by this machine's clock.
  public var at: Int64
  /// A Boolean value that indicates whether nothing is left to do, as after an answer.
  public var isOver = false

  public init(
    number: Int, kind: Kind, key: String, child: DeviceName?, device: DeviceName?, requests: [CommandID] = [],
    sentence: String, at: Int64, isOver: Bool = false
  ) {
    (self.number, self.kind, self.key, self.child, self.device) = (number, kind, key, child, device)
    (self.requests, self.sentence, self.at, self.isOver) = (requests, sentence, at, isOver)
  }
}

/// The notices for a receiver, whose position the node keeps.
public struct ParentNotices: Hashable, Sendable, Codable {
  public var notices: [ParentNotice]
  /// The number of the last notice that these include: the receiver's next position.
  public var position: Int
  /// The end of the present quiet hours in Unix milliseconds; `nil` outside of them.
  public var quietUntil: Int64?

  public init(notices: [ParentNotice], position: Int, quietUntil: Int64? = nil) {
    (self.notices, self.position, self.quietUntil) = (notices, position, quietUntil)
  }
}

/// `POST /v1/receivers/{receiver}/position`: the position up to which a receiver has delivered
/// notices.
public struct ReceiverPosition: Hashable, Sendable, Codable, CheckedRequest {
  public var position: Int
  /// The number of notices that the bridge dropped since the last position, 0 to 1,000; `nil` for
  /// none.
  public var dropped: Int?

  public init(position: Int, dropped: Int? = nil) { (self.position, self.dropped) = (position, dropped) }

  public var textFault: String? {
    if position < 0 { return "A place is a number of 0 or more: give that of the last notice." }
    return (0...1_000).contains(dropped ?? 0) ? nil : "The notices that were given up are 0 to 1,000: count them again."
  }
}
