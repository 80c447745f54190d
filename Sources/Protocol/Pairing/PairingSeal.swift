import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Seal one of a pairing's few short steps.
func seal(_ step: PairingStep, _ transport: inout NoiseTransport) -> [UInt8] {
  do {
    return try transport.seal(PairingCodec.encode(step))
  } catch { preconditionFailure("a handful of short messages neither exceeds a frame nor uses up a key: \(error)") }
}
