/// The simplest implementation of Protocol/04-session.md §1 and §3: the meaning of bytes,
/// independent of their division.
struct FrameRules {
  enum Piece: Equatable {
    case preamble([UInt8])
    case frame([UInt8])
  }

  enum Fault {
    case preamble
    case length
  }

  private(set) var awaitsPreamble: Bool
  private(set) var fault: Fault?
  /// The bytes of complete pieces that came before the end of the handshake.
  private(set) var strangerBytes = 0
  var isStranger = true
  private var held: [UInt8] = []

  init(awaitsPreamble: Bool) {
    self.awaitsPreamble = awaitsPreamble
  }

  /// Takes bytes and returns the pieces that they complete.
  mutating func take(_ part: [UInt8]) -> [Piece] {
    guard fault == nil else { return [] }
    held += part
    var pieces: [Piece] = []
    while let piece = next() { pieces.append(piece) }
    return pieces
  }

  private mutating func next() -> Piece? {
    if awaitsPreamble {
      guard held.count >= 6 else { return nil }
      let bytes = Array(held.prefix(6))
      held.removeFirst(6)
      let discriminator = Int(bytes[4]) * 256 + Int(bytes[5])
      let isKnown = bytes[3] == 2 ? discriminator == 0 : (bytes[3] == 1 || bytes[3] == 3) && discriminator < 1_024
      guard bytes.starts(with: [0x4C, 0x4B, 1]), isKnown else {
        fault = .preamble
        return nil
      }
      awaitsPreamble = false
      strangerBytes += 6
      return .preamble(bytes)
    }
    guard held.count >= 2 else { return nil }
    let size = 2 + Int(held[0]) * 256 + Int(held[1])
    guard size > 2, !isStranger || strangerBytes + size <= 4_096 else {
      fault = .length
      return nil
    }
    guard held.count >= size else { return nil }
    let frame = Array(held[2..<size])
    held.removeFirst(size)
    if isStranger { strangerBytes += size }
    return .frame(frame)
  }
}
