import LatchkeyModel

/// A unit of data on a connection.
enum Frame {
  /// The caller's handshake message: who calls, and the real message when frames are sealed.
  case first(DeviceID, [UInt8])
  /// The callee's handshake message: the pairwise key it answers with, or the real message.
  case answer([UInt8])
  /// A batch sealed by the real session machine.
  case sealed([UInt8])
  /// A batch as it is, with the connection whose key would open it.
  case plain(SessionBatch, connection: Int)
  /// The other side has said its last.
  case end

  /// Bytes on the wire, about.
  var size: Int {
    switch self {
    case .first: 100
    case .answer: 50
    case .sealed(let bytes): bytes.count
    case .plain(let batch, _):
      60 + batch.runs.reduce(0) { $0 + $1.items.reduce(0) { $0 + $1.body.count + $1.itemID.count + 6 } }
    case .end: 0
    }
  }
}
