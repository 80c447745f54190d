/// The content of the first handshake message, from joiner to inviter.
///
/// Spec: Protocol/03-pairing.md §4.
public struct PairingOpening: Hashable, Sendable {
  /// The joiner's commitment to its keys and its random number, 32 bytes.
  public var commitment: [UInt8]

  public init(commitment: [UInt8]) { self.commitment = commitment }
}

/// The identity of a side, in the second handshake message (inviter) or the third (joiner).
public struct PairingIntroduction: Hashable, Sendable {
  /// The Ed25519 key, 32 bytes.
  public var identityKey: [UInt8]
  /// The device's name in UTF-8, which has to be sanitised before it is shown.
  public var name: String
  public var role: DeviceRole
  /// The random number for the pairwise key and the six digits, 32 bytes.
  public var random: [UInt8]
  /// The protocol versions that the sender supports.
  public var versions: ClosedRange<UInt32>

  public init(
    identityKey: [UInt8], name: String, role: DeviceRole, random: [UInt8],
    versions: ClosedRange<UInt32> = Version.protocolRange
  ) {
    (self.identityKey, self.name, self.role) = (identityKey, name, role)
    (self.random, self.versions) = (random, versions)
  }
}

/// A message after the handshake.
///
/// Spec: Protocol/03-pairing.md §5.
public enum PairingStep: Hashable, Sendable {
  /// The identity key's signature of the handshake hash, 64 bytes.
  case proof(signature: [UInt8])
  /// The inviter has stored the joiner as pending; with the household's discovery key, 32 bytes.
  case commit(discoveryKey: [UInt8])
  /// The joiner has stored the inviter as pending.
  case commitAcknowledged
  /// The inviter has stored the joiner as active.
  case done
  /// The pairing ends here, and neither side keeps anything of it.
  case abort(PairingOutcome)
}

/// The result of a pairing, with a sentence that tells the next step.
///
/// Spec: Protocol/03-pairing.md §8.
public enum PairingOutcome: String, Codable, Sendable, Hashable, CaseIterable {
  case ok
  case wrongCode = "wrong-code"
  case typo, expired, refused, busy
  case notFound = "not-found"
  case network, version
  case alreadyPaired = "already-paired"
  case cancelled

  /// The result and the next step in English, for the joining side.
  public var sentence: String { phrase.worded() }

  /// The result and the next step, for the joining side.
  public var phrase: Phrase {
    switch self {
    case .ok: Phrase("The two machines are paired.")
    case .wrongCode:
      Phrase("The other machine refused this code as wrong: ask for the code that it shows now, and enter it again.")
    case .typo:
      Phrase("The code has a typing error: compare it with the screen of the other machine and enter it again.")
    case .expired:
      Phrase(
        """
        The other machine has no open code that matches: it has expired, was used, or was cancelled; run `latchkey pair` \
        there and enter the new code.
        """)
    case .refused:
      Phrase(
        """
        The other machine said no: the digits differ or somebody declined; ask there, then start again with a new code.
        """)
    case .busy:
      Phrase("The other machine is pairing with another one just now: wait a moment and enter the code again.")
    case .notFound:
      Phrase(
        """
        No machine with this code was found on the network: if the code has run out, make a new one there with `latchkey \
        pair`; if not, check that `latchkey run` is running there and that both are in the same network, or give its address \
        with --peer host:port.
        """)
    case .network:
      Phrase(
        """
        The connection was lost before the pairing was complete, and its beginnings are undone within a minute: enter the \
        code again while it is valid.
        """)
    case .version: Phrase("The versions on the two machines do not work together: update the older one.")
    case .alreadyPaired: Phrase("The two machines are paired already: nothing was changed.")
    case .cancelled:
      Phrase("The pairing was cancelled: nothing was changed; run `latchkey pair` again when both are ready.")
    }
  }
}
