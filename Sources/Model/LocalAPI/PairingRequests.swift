/// `POST /v1/pairing/invitations`: open a pairing code.
///
/// A parent's node takes it.
public struct InviteRequest: Hashable, Sendable, Codable {
  /// 1 to 15; 5 when nil.
  public var minutes: Int?
  /// Whose machine will join, at most 64 bytes of UTF-8.
  public var childName: String?
  /// Whether whoever has the code is let in without a question.
  public var acceptWithoutAsking: Bool

  public init(minutes: Int? = nil, childName: String? = nil, acceptWithoutAsking: Bool = false) {
    self.minutes = minutes
    self.childName = childName
    self.acceptWithoutAsking = acceptWithoutAsking
  }
}

/// `POST /v1/pairing/joins`: join with a code.
public struct JoinRequest: Hashable, Sendable, Codable {
  /// The typed code or the pasted one; case, spaces and dashes do not matter.
  public var code: String
  /// `host:port`, when the code's own address and mDNS do not lead there.
  public var peer: String?
  /// Whether to go on without asking the person here.
  public var acceptWithoutAsking: Bool

  public init(code: String, peer: String? = nil, acceptWithoutAsking: Bool = true) {
    self.code = code
    self.peer = peer
    self.acceptWithoutAsking = acceptWithoutAsking
  }
}

extension LocalAPIError {
  /// A parent's machine shows codes and takes none.
  public static let joinOnParent = LocalAPIError(
    .wrongRole, "This is a parent's machine, which shows the code: run `latchkey pair` here and on the child's machine."
  )
}

/// `POST /v1/pairing/{pairingID}/answer`: the person's yes or no to the question of a pairing.
public struct PairingAnswer: Hashable, Sendable, Codable {
  public var accept: Bool
  /// The `attempt` of the question that is answered, so that a late yes never accepts somebody else.
  public var attempt: Int

  public init(accept: Bool, attempt: Int) {
    self.accept = accept
    self.attempt = attempt
  }
}

/// A pairing in progress on this node, as inviter or joiner.
///
/// `code` and `typedCode` are present only in the answer to the request that made it.
public struct PairingProgress: Hashable, Sendable, Codable {
  public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
    /// A code is open and nobody has used it; or the joiner is on its way.
    case waiting
    /// The other side proved that it has the code; the person is asked (see `peerName`, `digits`).
    case asking
    /// Both agreed; being made durable.
    case committing
    /// Over; see `outcome`.
    case ended
  }

  /// Which side of a pairing this node is.
  public enum Part: String, Codable, Sendable, Hashable, CaseIterable {
    case inviter
    case joiner
  }

  /// Names this pairing on this node; random.
  public var pairingID: String
  public var phase: Phase
  /// Grows with every change: ask for "after this" to wait for the next one.
  public var change: Int
  /// Which side of it this node is.
  public var part: Part
  /// The code in groups of five, such as `LK1QQ-…`.
  public var code: String?
  /// The same invitation's short code, such as `KX-7Q2MN-4C`; there when `code` is.
  public var typedCode: String?
  /// The first two symbols of the typed code; no secret, and announced while the code is open.
  public var prefix: String?
  /// Whose machine was invited.
  public var childName: String?
  /// Milliseconds until the code closes, from the moment of the answer.
  public var expiresInMilliseconds: Int64?
  public var failuresLeft: Int?
  /// Counts the machines that got as far as a question.
  public var attempt: Int
  public var peerName: DeviceName?
  public var peerRole: DeviceRole?
  /// Six digits that both screens show, such as `123456`.
  public var digits: String?
  public var outcome: PairingOutcome?
  /// The outcome in one sentence with the next step.
  public var sentence: String?
  /// The device that was paired.
  public var device: RegisteredDevice?

  public init(
    pairingID: String, phase: Phase, change: Int, part: Part, code: String? = nil, typedCode: String? = nil,
    prefix: String? = nil, childName: String? = nil, expiresInMilliseconds: Int64? = nil,
    failuresLeft: Int? = nil, attempt: Int = 0, peerName: DeviceName? = nil, peerRole: DeviceRole? = nil,
    digits: String? = nil, outcome: PairingOutcome? = nil, sentence: String? = nil, device: RegisteredDevice? = nil
  ) {
    self.pairingID = pairingID
    self.phase = phase
    self.change = change
    self.part = part
    self.code = code
    self.typedCode = typedCode
    self.prefix = prefix
    self.childName = childName
    self.expiresInMilliseconds = expiresInMilliseconds
    self.failuresLeft = failuresLeft
    self.attempt = attempt
    self.peerName = peerName
    self.peerRole = peerRole
    self.digits = digits
    self.outcome = outcome
    self.sentence = sentence
    self.device = device
  }
}
