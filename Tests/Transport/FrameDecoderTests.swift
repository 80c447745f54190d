import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import NIOCore
import NIOEmbedded
import NIOTestUtils
import Testing

@testable import LatchkeyTransport

/// Tests of bytes that are divided into a preamble and frames, however they arrive.
@Suite struct FrameDecoderTests {
  private func framed(_ body: [UInt8]) -> [UInt8] { [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body }

  /// Feeds bytes in parts; returns what came out and whether the decoder refused.
  private func decode(
    _ parts: [[UInt8]], awaitsPreamble: Bool = true, limit: FrameLimit = FrameLimit()
  ) -> (pieces: [FramePiece], fault: FrameError?) {
    let channel = EmbeddedChannel(
      handler: ByteToMessageHandler(FrameDecoder(limit: limit, awaitsPreamble: awaitsPreamble)))
    var fault: FrameError?
    for part in parts {
      do { try channel.writeInbound(ByteBuffer(bytes: part)) } catch let error as FrameError {
        fault = fault ?? error
      } catch {}
    }
    var pieces: [FramePiece] = []
    while let piece = try? channel.readInbound(as: FramePiece.self) { pieces.append(piece) }
    _ = try? channel.finish(acceptAlreadyClosed: true)
    return (pieces, fault)
  }

  private func frames(_ pieces: [FramePiece]) -> [[UInt8]] {
    pieces.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
  }

  @Test("Bytes that arrive one by one, in any parts, or all at once decode to the same frames")
  func dripped() {
    var random = SeededRandom()
    let bodies = (0..<20).map { _ in random.bytes(1 + random.below(150)) }
    let bytes = Preamble.session.bytes + bodies.flatMap(framed)
    var parts: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = 1 + random.below(40)
      parts.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    for parts in [[bytes], bytes.map { [$0] }, parts] {
      let (pieces, fault) = decode(parts)
      #expect(fault == nil)
      guard case .preamble(.session)? = pieces.first else {
        Issue.record("no preamble: \(random.note)")
        continue
      }
      #expect(frames(pieces) == bodies, "\(random.note)")
    }
  }

  @Test("NIO's verifier, which splits and joins the input, agrees")
  func verified() throws {
    let limit = FrameLimit()
    limit.lift()
    let pieces = [FramePiece.frame([1]), .frame([2, 3]), .frame([UInt8](repeating: 4, count: 300))]
    try ByteToMessageDecoderVerifier.verifyDecoder(
      inputOutputPairs: pieces.map { (ByteBuffer(bytes: frames([$0]).flatMap(framed)), [$0]) },
      decoderFactory: { FrameDecoder(limit: limit, awaitsPreamble: false) })
  }

  @Test("Every pairing discriminator is recognized, and other preambles are refused")
  func preambles() {
    for discriminator in [UInt16(0), 7, 1_023] {
      let pieces = decode([Preamble.pairing(discriminator: discriminator).bytes]).pieces
      guard case .preamble(.pairing(discriminator))? = pieces.first else {
        Issue.record("\(pieces) is not \(discriminator)")
        continue
      }
    }
    for bytes in [
      [0x4C, 0x4B, 2, 1, 0, 0], [0x4C, 0x4B, 1, 4, 0, 0], [0x4C, 0x4B, 1, 2, 0, 1], [0x4C, 0x4B, 1, 1, 4, 0],
      [0x47, 0x45, 0x54, 0x20, 0x2F, 0x20],
    ] as [[UInt8]] {
      let (pieces, fault) = decode([bytes])
      #expect(pieces.isEmpty)
      #expect(fault == .badPreamble, "\(bytes)")
    }
  }

  @Test(
    "An unauthenticated frame over 4 KiB in all is refused by its length; an authenticated one may have 65,535 bytes")
  func strangers() {
    // The preamble and the two bytes of length count as well.
    let most = Limits.strangerBytes - Preamble.size - 2
    let body = [UInt8](repeating: 1, count: most)
    #expect(frames(decode([Preamble.session.bytes + framed(body)]).pieces) == [body])
    let over = decode([Preamble.session.bytes + [UInt8((most + 1) >> 8), UInt8((most + 1) & 0xFF)]])
    #expect(over.fault == .tooLong(bytes: most + 1, limit: Limits.strangerBytes))
    // Many small frames add up.
    let small = framed([UInt8](repeating: 2, count: 1_000))
    let many = decode([Preamble.session.bytes + small + small + small + small + small])
    #expect(frames(many.pieces).count == 4)
    #expect(many.fault == .tooLong(bytes: 1_000, limit: Limits.strangerBytes))

    let limit = FrameLimit()
    limit.lift()
    let long = [UInt8](repeating: 3, count: Limits.frameBytes)
    let known = decode([framed(long), framed(long)], awaitsPreamble: false, limit: limit)
    #expect(frames(known.pieces) == [long, long])
    #expect(known.fault == nil)
  }

  @Test("An empty frame is refused, and half a frame at the end of a connection is discarded")
  func emptyAndHalf() {
    #expect(decode([[0, 0]], awaitsPreamble: false).fault == .empty)
    let (pieces, fault) = decode([framed([1, 2, 3]), [0, 9, 1]], awaitsPreamble: false)
    #expect(frames(pieces) == [[1, 2, 3]])
    #expect(fault == nil)
  }
}

extension FramePiece: Equatable {
  /// Returns whether two pieces are equal.
  public static func == (left: FramePiece, right: FramePiece) -> Bool {
    switch (left, right) {
    case (.frame(let left), .frame(let right)): left == right
    case (.preamble(let left), .preamble(let right)): left == right
    case (.frame, .preamble), (.preamble, .frame): false
    }
  }
}
