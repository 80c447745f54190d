import LatchkeyModel

/// A unit of data on a connection.
enum Frame {
  /// The caller's handshake message: the caller's ID, and the real message if frames are sealed.
  case first(DeviceID, [UInt8])
  /// The callee's handshake message: the pairwise key it answers with, or the real message.
  case answer([UInt8])
  /// A batch sealed by the real session machine.
  case sealed([UInt8])
  /// An unencrypted batch, with the connection whose key would open it.
  case plain(SessionBatch, connection: Int)
  /// The end of the other side's frames.
  case end

  /// The approximate number of bytes on the wire.
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
