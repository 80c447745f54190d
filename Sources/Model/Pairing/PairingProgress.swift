/// `POST /v1/pairing/invitations`: opens a pairing code, on a parent's node.
public struct InviteRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The minutes for which the code is open, 1 to 15; `nil` for 5.
  public var minutes: Int?
  /// The name of the child whose machine will join, at most 64 bytes of UTF-8.
  public var childName: String?
  /// A Boolean value that indicates whether a machine with the code is accepted without a question.
  public var acceptWithoutAsking: Bool

  public init(minutes: Int? = nil, childName: String? = nil, acceptWithoutAsking: Bool = false) {
    (self.minutes, self.childName, self.acceptWithoutAsking) = (minutes, childName, acceptWithoutAsking)
  }

  public var textFault: String? { childName.flatMap { TextRule.deviceName.fault(in: $0) } }
}

/// The body of `POST /v1/pairing/joins`, which joins with a code.
public struct JoinRequest: Hashable, Sendable, Codable, CheckedRequest {
  /// The typed or pasted code; case, spaces and dashes do not matter.
  public var code: String
  /// The inviter's `host:port`, where neither the code's address nor mDNS reaches it.
  public var peer: String?
  /// A Boolean value that indicates whether to join without asking the person at this machine.
  public var acceptWithoutAsking: Bool

  public init(code: String, peer: String? = nil, acceptWithoutAsking: Bool = true) {
    (self.code, self.peer, self.acceptWithoutAsking) = (code, peer, acceptWithoutAsking)
  }

  public var textFault: String? { TextRule.code.fault(in: code) ?? peer.flatMap { TextRule.address.fault(in: $0) } }
}

extension TextRule {
  /// An address as a person gives it.
  fileprivate static let address = TextRule(what: "The peer's address", bytes: 1...300, characters: .visible)
  /// A pairing code, which may be pasted with line ends.
  fileprivate static let code = TextRule(what: "The code", bytes: 1...1_024, characters: .paragraphs)
}

extension LocalAPIError {
  /// The error for a join on a parent's machine, which only shows codes.
  public static let joinOnParent = LocalAPIError(
    .wrongRole,
    phrase: "This is a parent's machine, which shows the code: run `latchkey pair` here and on the child's machine.")
}

/// `POST /v1/pairing/{pairingID}/answer`: a person's answer to the question of a pairing.
public struct PairingAnswer: Hashable, Sendable, Codable, CheckedRequest {
  /// A Boolean value that indicates whether the person accepts the other machine.
  public var accept: Bool
  /// The `attempt` of the question, so that a late answer never accepts a different machine.
  public var attempt: Int

  public init(accept: Bool, attempt: Int) { (self.accept, self.attempt) = (accept, attempt) }

  public var textFault: String? { nil }
}

/// A pairing in progress on this node, as inviter or joiner.
///
/// `code` and `typedCode` are present only in the answer to the request that made it.
public struct PairingProgress: Hashable, Sendable, Codable {
  public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
    /// A code is open and unused, or the joiner is dialing.
    case waiting
    /// The other side has the code, and the person is asked; see `peerName` and `digits`.
    case asking
    /// Both sides agreed, and the pairing is being stored.
    case committing
    /// The pairing has ended; see `outcome`.
    case ended
  }

  public enum Part: String, Codable, Sendable, Hashable, CaseIterable { case inviter, joiner }

  /// A random ID of the pairing on this node.
  public var pairingID: String
  public var phase: Phase
  /// A number that grows with each change; a request after it waits for the next one.
  public var change: Int
  public var part: Part
  /// The code in groups of five, such as `LK1QQ-…`.
  public var code: String?
  /// The short code of the same invitation, such as `KX-7Q2MN-4C`; present if `code` is.
  public var typedCode: String?
  /// The first two symbols of the typed code, which are announced and not secret.
  public var prefix: String?
  public var childName: String?
  /// The time until the code closes in milliseconds, counted from the answer.
  public var expiresInMilliseconds: Int64?
  /// The number of wrong guesses until the code closes.
  public var failuresLeft: Int?
  /// The number of machines that reached the question.
  public var attempt: Int
  /// The name that the other machine gives itself, which is not authenticated yet.
  public var peerName: DeviceName?
  public var peerRole: DeviceRole?
  /// The six digits that both screens show, such as `123456`.
  public var digits: String?
  /// The result; `nil` until the pairing has ended.
  public var outcome: PairingOutcome?
  /// The result and the next step in one sentence.
  public var sentence: String?
  public var phrase: Phrase?
  public var device: RegisteredDevice?

  public init(
    pairingID: String, phase: Phase, change: Int, part: Part, code: String? = nil, typedCode: String? = nil,
    prefix: String? = nil, childName: String? = nil, expiresInMilliseconds: Int64? = nil,
    failuresLeft: Int? = nil, attempt: Int = 0, peerName: DeviceName? = nil, peerRole: DeviceRole? = nil,
    digits: String? = nil, outcome: PairingOutcome? = nil, sentence: String? = nil, device: RegisteredDevice? = nil
  ) {
    (self.pairingID, self.phase, self.change, self.part, self.code) = (pairingID, phase, change, part, code)
    (self.typedCode, self.prefix, self.childName) = (typedCode, prefix, childName)
    (self.expiresInMilliseconds, self.failuresLeft, self.attempt) = (expiresInMilliseconds, failuresLeft, attempt)
    (self.peerName, self.peerRole, self.digits, self.outcome) = (peerName, peerRole, digits, outcome)
    (self.sentence, self.device) = (sentence, device)
  }
}

/// Sentences about a pairing for a terminal and a page, without the node's own (`phrase`).
extension PairingProgress {
  /// Returns the sentence about a wrong code and the attempts left.
  public static func guessed(_ failuresLeft: Int) -> Phrase {
    Phrase(
      one: "Somebody entered a wrong code; {count} failure left until the code is closed.",
      other: "Somebody entered a wrong code; {count} failures left until the code is closed.", count: failuresLeft)
  }

  /// The node's sentence about the outcome and the next step; `nil` for none.
  public var told: Phrase? { phrase ?? sentence.map { Phrase(verbatim: $0) } }

  /// The sentence that says which machine is paired now.
  public var pairedPhrase: Phrase {
    let name = device?.name ?? peerName ?? DeviceName(sanitising: "")
    guard let given = peerName, let device, device.name != given else {
      return Phrase("Paired with {machine}.", ["machine": name.quotation])
    }
    return Phrase(
      "Paired with {machine}, which got that name because there is a machine called {given} already.",
      ["machine": name.quotation, "given": given.quotation])
  }

  /// Returns the sentence about a refusal, on the machine that shows the code; else `nil`.
  ///
  /// `isHere` says whether the person at this machine refused.
  public func refusal(isHere: Bool) -> Phrase? {
    guard part == .inviter else { return nil }
    if isHere {
      return Phrase(
        """
        You said no: the other machine was turned away and the code is closed; run `latchkey pair` for a new one.
        """)
    }
    // Only a machine that was asked about can be refused.
    guard attempt > 0 else { return nil }
    return Phrase(
      """
      The other machine said no, and the code is closed: the digits differ or somebody declined; ask there, then run \
      `latchkey pair` for a new one.
      """)
  }
}
