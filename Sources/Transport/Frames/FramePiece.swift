import LatchkeyWire

/// What the decoder finds in a connection's bytes.
package enum FramePiece: Sendable {
  case preamble(Preamble)
  case frame([UInt8])
}
