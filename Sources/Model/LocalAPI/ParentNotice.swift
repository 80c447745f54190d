/// Something that parents are told once, as `GET /v1/notices` shows it.
///
/// Spec: Protocol/07-local-api.md §4.
public struct ParentNotice: Hashable, Sendable, Codable {
  /// What parents are told of.
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
    /// What was set an hour ago is not in force on a machine.
    case ruleNotInForce
    /// Another parent's machine has joined.
    case parentJoined
    /// Learning waits for a parent's review.
    case learningHeld
  }

  /// Its number, which grows with each notice, also from one start of the node to the next.
  public var number: Int
  public var kind: Kind
  /// What it is about: where it is shown, it takes the place of earlier ones with the same key.
  public var key: String
  public var child: DeviceName?
  public var device: DeviceName?
  /// The child's requests that wait for an answer, the oldest first.
  public var requests: [CommandID] = []
  public var sentence: String
  /// When it was told of, in Unix milliseconds by this machine's clock.
  public var at: Int64
  /// A Boolean value that indicates whether nothing is to be done about it any more, such as that
  /// the request was answered.
  public var isOver = false

  public init(
    number: Int, kind: Kind, key: String, child: DeviceName?, device: DeviceName?, requests: [CommandID] = [],
    sentence: String, at: Int64, isOver: Bool = false
  ) {
    (self.number, self.kind, self.key, self.child, self.device) = (number, kind, key, child, device)
    (self.requests, self.sentence, self.at, self.isOver) = (requests, sentence, at, isOver)
  }
}

/// The notices for a receiver, which keeps its place at the node.
public struct ParentNotices: Hashable, Sendable, Codable {
  /// The oldest first.
  public var notices: [ParentNotice]
  /// The number up to which these are all: the receiver's next place.
  public var position: Int
  /// The end of the family's quiet hours, in Unix milliseconds, before which nothing is told;
  /// `nil` outside of them.
  public var quietUntil: Int64?

  public init(notices: [ParentNotice], position: Int, quietUntil: Int64? = nil) {
    (self.notices, self.position, self.quietUntil) = (notices, position, quietUntil)
  }
}

/// `POST /v1/receivers/{receiver}/position`: up to where a receiver has told its person.
public struct ReceiverPosition: Hashable, Sendable, Codable {
  public var position: Int
  /// How many notices its bridge has given up since it kept a place last, 0 to 1,000; `nil` for
  /// none.
  public var dropped: Int?

  public init(position: Int, dropped: Int? = nil) { (self.position, self.dropped) = (position, dropped) }
}

extension ReceiverPosition: CheckedRequest {
  /// A sentence about a number that is no place; `nil` for one that is.
  public var textFault: String? {
    if position < 0 { return "A place is a number of 0 or more: give that of the last notice." }
    return (0...1_000).contains(dropped ?? 0) ? nil : "The notices that were given up are 0 to 1,000: count them again."
  }
}
