/// List the messages of the fundamental handshake patterns. Spec: Noise revision 34, sections 7.4 and 7.5.
///
/// Of two letters the first tells of the initiator's static key, the second of the responder's: `N` there is none,
/// `K` it is known before, `X` it is sent, `I` it is sent at once. Patterns of one letter go one way.
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

  /// Whether only the initiator ever sends.
  var isOneWay: Bool { messages.count == 1 }

  /// Whether the responder knows the initiator's static key before the first message.
  var initiatorStaticIsKnown: Bool {
    switch self {
    case .k, .kn, .kk, .kx: true
    case .n, .x, .nn, .nk, .nx, .xn, .xk, .xx, .in, .ik, .ix: false
    }
  }

  /// Whether the initiator knows the responder's static key before the first message.
  var responderStaticIsKnown: Bool {
    switch self {
    case .n, .k, .x, .nk, .xk, .kk, .ik: true
    case .nn, .nx, .xn, .xx, .kn, .kx, .in, .ix: false
    }
  }

  /// The steps of each message, the initiator's first, then in turns.
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
