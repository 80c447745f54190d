import LatchkeyWire

/// A part of a connection's bytes that the decoder has found.
package enum FramePiece: Sendable {
  case preamble(Preamble)
  case frame([UInt8])
}
