import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Encrypts one of the short steps of a pairing.
func seal(_ step: PairingStep, _ transport: inout NoiseTransport) -> [UInt8] {
  do {
    return try transport.seal(PairingCodec.encode(step))
  } catch { preconditionFailure("a handful of short messages neither exceeds a frame nor uses up a key: \(error)") }
}
