import LatchkeyModel

extension Latchkey_V1_KeyRotation {
  init(_ rotation: KeyRotation) {
    self.init()
    generation = UInt64(clamping: rotation.generation)
    discoveryKey = WireBytes(rotation.discoveryKey)
    pairwiseKey = WireBytes(rotation.pairwiseKey)
    replaces = WireBytes(rotation.replaces)
  }

  func value() throws(WireError) -> KeyRotation {
    guard let generation = Int64(exactly: generation), generation > 0 else {
      throw WireError("key generation \(generation)")
    }
    guard discoveryKey.count == 32, pairwiseKey.count == 32, replaces.count == 8 else {
      throw WireError("keys of \(discoveryKey.count), \(pairwiseKey.count) and \(replaces.count) bytes")
    }
    return KeyRotation(
      generation: generation, discoveryKey: Array(discoveryKey), pairwiseKey: Array(pairwiseKey),
      replaces: Array(replaces))
  }
}
