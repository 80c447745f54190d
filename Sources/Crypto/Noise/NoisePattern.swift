/// Describe a handshake: a fundamental pattern and where preshared keys are mixed in.
///
/// Spec: Noise revision 34, sections 7 to 9.
public struct NoisePattern: Sendable {
  /// The pattern's name as it stands in the protocol name, for instance `XXpsk0+psk3`.
  public let name: String
  /// Whether only the initiator ever sends.
  public let isOneWay: Bool
  /// How many preshared keys the handshake uses, in the order of their positions.
  public let presharedKeyCount: Int

  let messages: [[NoiseToken]]
  let initiatorStaticIsKnown: Bool
  let responderStaticIsKnown: Bool

  /// Pairing: nobody knows anybody, and a preshared key guards the first and the last message.
  public static let xxPSK0PSK3 = NoisePattern(.xx, presharedKeyPositions: [0, 3])
  /// A session: the initiator knows the responder, and the pairwise key is mixed in at the end.
  public static let ikPSK2 = NoisePattern(.ik, presharedKeyPositions: [2])

  /// Look a pattern up by its name.
  ///
  /// - Parameter name: a fundamental pattern (`NN` to `IX`, `N`, `K`, `X`), then any of `psk0`, `psk1` and so on,
  ///   joined by `+` in ascending order.
  /// - Throws: `NoiseError.unknownPattern`.
  public init(name: String) throws(NoiseError) {
    let letters = name.prefix { $0.isASCII && $0.isUppercase }
    guard let base = NoiseBasePattern(rawValue: String(letters)) else { throw .unknownPattern(name) }
    let modifiers = name.dropFirst(letters.count)
    var positions: [Int] = []
    if !modifiers.isEmpty {
      for modifier in modifiers.split(separator: "+", omittingEmptySubsequences: false) {
        // One digit is enough: no pattern has more than three messages.
        guard modifier.hasPrefix("psk"), modifier.count == 4, let position = modifier.last?.wholeNumberValue,
          position <= base.messages.count, position > positions.last ?? -1
        else { throw .unknownPattern(name) }
        positions.append(position)
      }
    }
    self.init(base, presharedKeyPositions: positions)
    // A digit of another script has a number value too, but would make another protocol name.
    guard self.name == name else { throw .unknownPattern(name) }
  }

  /// Position 0 is the start of the first message, position n the end of message n.
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

  /// The full name of the protocol with this pattern, in ASCII; both sides hash it first.
  var protocolName: [UInt8] { [UInt8]("Noise_\(name)_25519_ChaChaPoly_SHA256".utf8) }

  /// Tell whether the side of `role` must have a static key of its own.
  func needsStaticKey(_ role: NoiseRole) -> Bool {
    let isKnown = role == .initiator ? initiatorStaticIsKnown : responderStaticIsKnown
    return isKnown || messages.indices.contains { Self.sender(of: $0) == role && messages[$0].contains(.s) }
  }

  /// Tell whether the side of `role` must know the other side's static key before the first message.
  func needsRemoteStaticKey(_ role: NoiseRole) -> Bool {
    role == .initiator ? responderStaticIsKnown : initiatorStaticIsKnown
  }

  /// Tell who sends a handshake message, counted from 0.
  static func sender(of message: Int) -> NoiseRole { message.isMultiple(of: 2) ? .initiator : .responder }
}
