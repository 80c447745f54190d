import LatchkeyProtocol
import LatchkeyTransport
import NIOCore
import NIOEmbedded

/// The bytes of a connection, in parts that the script chooses, for the decoder and for the rules
/// of the specification.
enum FramesTarget {
  static func seeds() -> [[UInt8]] {
    let (session, pairing) = (Preamble.session.bytes, Preamble.pairing(discriminator: 677).bytes)
    let part: (Int) -> UInt8 = { UInt8($0 - 1) }
    return [
      [1, part(6)] + session + [part(5), 0, 3, 1, 2, 3] + [part(1), 0, part(2), 1, 9],
      [1, part(8)] + pairing + [0, 1, part(1), 7, lifts, fills, 0xFF, 0xFF, fills, 0, 9],
      [0, part(3), 0, 1, 5, fills, 0x0F, 0xF0, fills, 0x0F, 0xF0], [0, fills, 0x0F, 0xFE, 9, fills, 0, 1, 9],
      [0, fills, 0x0F, 0xFF, 9], [0, part(2), 0, 0], [2, fills, 0xFF, 0xFE],
      [1, part(4), 71, 69, 84, 32, part(2), 47, 32],
      [1, part(3), 0x4C, 0x4B, 1, part(3), 3, 0, 9, part(4), 0, 2, 1, 1],
    ]
  }

  /// A value in place of a part's size that ends the handshake.
  private static let lifts: UInt8 = 0xFF
  /// A value in place of a part's size that stands for a frame of the size in the next two bytes.
  private static let fills: UInt8 = 0xFE

  static func check(_ input: [UInt8]) throws(FuzzFault) {
    var script = ByteScript(input)
    let flags = script.byte()
    let limit = FrameLimit()
    var rules = FrameRules(awaitsPreamble: flags & 1 == 1)
    if flags & 2 == 2 {
      limit.lift()
      rules.isStranger = false
    }
    let channel = EmbeddedChannel(
      handler: ByteToMessageHandler(FrameDecoder(limit: limit, awaitsPreamble: rules.awaitsPreamble)))
    defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
    while !script.isEmpty, rules.fault == nil {
      let part: [UInt8]
      switch script.byte() {
      case lifts:
        limit.lift()
        rules.isStranger = false
        continue
      case fills:
        let size = script.number16()
        part = [UInt8(size >> 8), UInt8(size & 0xFF)] + [UInt8](repeating: script.byte(), count: Int(size))
      case let size: part = script.bytes(Int(size) % 64 + 1)
      }
      try compare(part, channel, &rules)
    }
    // Half a frame at the end is no frame, and nothing follows a fault.
    try compare(rules.fault == nil ? [] : [0, 1, 1], channel, &rules)
  }

  private static func compare(
    _ part: [UInt8], _ channel: EmbeddedChannel, _ rules: inout FrameRules
  ) throws(FuzzFault) {
    let isOver = rules.fault != nil
    let wanted = rules.take(part)
    var fault: FrameError?
    do { try channel.writeInbound(ByteBuffer(bytes: part)) } catch let error as FrameError { fault = error } catch {
      if !isOver { throw FuzzFault("an error of another kind: \(error)") }
    }
    var found: [FrameRules.Piece] = []
    while let piece = try? channel.readInbound(as: FramePiece.self) {
      switch piece {
      case .preamble(let preamble): found.append(.preamble(preamble.bytes))
      case .frame(let frame): found.append(.frame(frame))
      }
    }
    try require(found == wanted, "\(found.count) pieces came out where the rules give \(wanted.count), or others")
    try require(isOver || (fault != nil) == (rules.fault != nil), "\(String(describing: fault)) where \(rules)")
    try require(rules.strangerBytes <= 4_096, "a stranger got \(rules.strangerBytes) bytes through")
  }
}
