import LatchkeyWire

/// What the decoder finds in a connection's bytes.
enum FramePiece: Sendable {
  case preamble(Preamble)
  case frame([UInt8])
}
