/// The messages of the fundamental handshake patterns.
///
/// The first of two letters describes the initiator's static key, the second the responder's: `N`
/// means that there is none, `K` that it is known in advance, `X` that it is sent, and `I` that it
/// is sent at once. Patterns with one letter are one-way.
///
/// Spec: Noise revision 34, sections 7.4 and 7.5.
enum NoiseBasePattern: String, Sendable, CaseIterable {
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

  /// A Boolean value that indicates whether only the initiator sends.
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

/// A step in a handshake message.
///
/// Spec: Noise revision 34, section 5.3.
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
