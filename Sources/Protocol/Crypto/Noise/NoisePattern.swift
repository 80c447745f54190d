/// A handshake pattern: a fundamental pattern and the positions of its pre-shared keys (Noise
/// revision 34, sections 7 to 9).
public struct NoisePattern: Sendable {
  /// The pattern's name as it appears in the protocol name, for example `XXpsk0+psk3`.
  public let name: String
  /// A Boolean value that indicates whether only the initiator sends.
  public let isOneWay: Bool
  public let presharedKeyCount: Int

  let messages: [[NoiseToken]]
  let initiatorStaticIsKnown: Bool
  let responderStaticIsKnown: Bool

  /// The pattern of a pairing: the sides do not know each other's keys, and a pre-shared key
  /// protects the first and the last message.
  public static let xxPSK0PSK3 = NoisePattern(.xx, presharedKeyPositions: [0, 3])
  /// The pattern of a session: the initiator knows the responder, and the pairwise key is mixed in
  /// at the end.
  public static let ikPSK2 = NoisePattern(.ik, presharedKeyPositions: [2])

  /// Creates a pattern from its name: a fundamental pattern (`NN` to `IX`, `N`, `K`, `X`), then any
  /// of `psk0`, `psk1` and so on, joined by `+` in ascending order.
  ///
  /// Throws `NoiseError.unknownPattern`.
  public init(name: String) throws(NoiseError) {
    let letters = name.prefix { $0.isASCII && $0.isUppercase }
    guard let base = NoiseBasePattern(rawValue: String(letters)) else { throw .unknownPattern(name) }
    let modifiers = name.dropFirst(letters.count)
    var positions: [Int] = []
    if !modifiers.isEmpty {
      for modifier in modifiers.split(separator: "+", omittingEmptySubsequences: false) {
        // One digit is enough, since no pattern has more than three messages.
        guard modifier.hasPrefix("psk"), modifier.count == 4, let position = modifier.last?.wholeNumberValue,
          position <= base.messages.count, position > positions.last ?? -1
        else { throw .unknownPattern(name) }
        positions.append(position)
      }
    }
    self.init(base, presharedKeyPositions: positions)
    // A digit of another script also has a numeric value, but would give another protocol name.
    guard self.name == name else { throw .unknownPattern(name) }
  }

  /// Creates a pattern.
  ///
  /// Position 0 is the beginning of the first message, position n the end of message n.
  private init(_ base: NoiseBasePattern, presharedKeyPositions positions: [Int]) {
    var messages = base.messages
    for position in positions {
      if position == 0 {
        messages[0].insert(.psk, at: 0)
      } else {
        messages[position - 1].append(.psk)
      }
    }
    name = base.rawValue + positions.map { "psk\($0)" }.joined(separator: "+")
    isOneWay = base.isOneWay
    presharedKeyCount = positions.count
    self.messages = messages
    initiatorStaticIsKnown = base.initiatorStaticIsKnown
    responderStaticIsKnown = base.responderStaticIsKnown
  }

  /// The full protocol name in ASCII, which both sides hash first.
  var protocolName: [UInt8] { [UInt8]("Noise_\(name)_25519_ChaChaPoly_SHA256".utf8) }

  func needsStaticKey(_ role: NoiseRole) -> Bool {
    let isKnown = role == .initiator ? initiatorStaticIsKnown : responderStaticIsKnown
    return isKnown || messages.indices.contains { Self.sender(of: $0) == role && messages[$0].contains(.s) }
  }

  /// Returns whether the side of `role` has to know the other side's static key before the first
  /// message.
  func needsRemoteStaticKey(_ role: NoiseRole) -> Bool {
    role == .initiator ? responderStaticIsKnown : initiatorStaticIsKnown
  }

  /// Returns the sender of a handshake message, counted from 0.
  static func sender(of message: Int) -> NoiseRole { message.isMultiple(of: 2) ? .initiator : .responder }
}

/// The messages of the fundamental handshake patterns.
///
/// The first of two letters describes the initiator's static key, the second the responder's: `N`
/// means that there is none, `K` that it is known in advance, `X` that it is sent, and `I` that it
/// is sent at once. Patterns with one letter are one-way. Spec: Noise revision 34, sections 7.4 and
/// 7.5.
private enum NoiseBasePattern: String, Sendable, CaseIterable {
  case n = "N"
  case k = "K"
  case x = "X"
  case nn = "NN"
  case nk = "NK"
  case nx = "NX"
  case xn = "XN"
  case xk = "XK"
  case xx = "XX"
  case kn = "KN"
  case kk = "KK"
  case kx = "KX"
  case `in` = "IN"
  case ik = "IK"
  case ix = "IX"

  var isOneWay: Bool { messages.count == 1 }

  /// A Boolean value that indicates whether the responder knows the initiator's static key before
  /// the first message.
  var initiatorStaticIsKnown: Bool {
    switch self {
    case .k, .kn, .kk, .kx: true
    case .n, .x, .nn, .nk, .nx, .xn, .xk, .xx, .in, .ik, .ix: false
    }
  }

  /// A Boolean value that indicates whether the initiator knows the responder's static key before
  /// the first message.
  var responderStaticIsKnown: Bool {
    switch self {
    case .n, .k, .x, .nk, .xk, .kk, .ik: true
    case .nn, .nx, .xn, .xx, .kn, .kx, .in, .ix: false
    }
  }

  /// The tokens of each message, beginning with the initiator's and alternating.
  var messages: [[NoiseToken]] {
    switch self {
    case .n: [[.e, .es]]
    case .k: [[.e, .es, .ss]]
    case .x: [[.e, .es, .s, .ss]]
    case .nn: [[.e], [.e, .ee]]
    case .nk: [[.e, .es], [.e, .ee]]
    case .nx: [[.e], [.e, .ee, .s, .es]]
    case .xn: [[.e], [.e, .ee], [.s, .se]]
    case .xk: [[.e, .es], [.e, .ee], [.s, .se]]
    case .xx: [[.e], [.e, .ee, .s, .es], [.s, .se]]
    case .kn: [[.e], [.e, .ee, .se]]
    case .kk: [[.e, .es, .ss], [.e, .ee, .se]]
    case .kx: [[.e], [.e, .ee, .se, .s, .es]]
    case .in: [[.e, .s], [.e, .ee, .se]]
    case .ik: [[.e, .es, .s, .ss], [.e, .ee, .se]]
    case .ix: [[.e, .s], [.e, .ee, .se, .s, .es]]
    }
  }
}

/// A step in a handshake message (Noise revision 34, section 5.3).
enum NoiseToken: Sendable {
  /// Send the ephemeral public key.
  case e
  /// Send the static public key, encrypted if there is a key.
  case s
  /// Mix in the secret of both ephemeral keys.
  case ee
  /// Mix in the secret of the initiator's ephemeral and the responder's static key.
  case es
  /// Mix in the secret of the initiator's static and the responder's ephemeral key.
  case se
  /// Mix in the secret of both static keys.
  case ss
  /// Mix in the next pre-shared key.
  case psk
}
