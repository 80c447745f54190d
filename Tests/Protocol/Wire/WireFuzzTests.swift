import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

/// Tests with random bytes: each input results in a value or a typed error, and never ends the
/// process.
@Suite struct WireFuzzTests {
  /// A way to read bytes.
  ///
  /// It returns them as written again, so that a second reading can be compared.
  private struct Reader: Sendable {
    var name: String
    var sample: @Sendable (inout SeededRandom) -> [UInt8]
    var read: @Sendable ([UInt8]) throws -> [UInt8]
  }

  private static let coding = MessageBodyCoding()

  private static let readers = [
    Reader(
      name: "batch", sample: { SessionCodec.encode(WireSamples.batch(&$0)) },
      read: { SessionCodec.encode(try SessionCodec.decode($0)) }),
    Reader(
      name: "opening", sample: { PairingCodec.encode(PairingOpening(commitment: $0.bytes(32))) },
      read: { PairingCodec.encode(try PairingCodec.opening($0)) }),
    Reader(
      name: "introduction", sample: { PairingCodec.encode(WireSamples.introduction(&$0)) },
      read: { PairingCodec.encode(try PairingCodec.introduction($0)) }),
    Reader(
      name: "step", sample: { PairingCodec.encode(WireSamples.step(&$0)) },
      read: { PairingCodec.encode(try PairingCodec.step($0)) }),
    Reader(
      name: "command", sample: { coding.encode(WireSamples.command(&$0)) },
      read: { coding.encode(try coding.command($0)) }),
    Reader(
      name: "receipt", sample: { coding.encode(WireSamples.receipt(&$0)) },
      read: { coding.encode(try coding.receipt($0)) }),
    Reader(
      name: "usage record", sample: { coding.encode(Samples.usageRecord(&$0)) },
      read: { coding.encode(try coding.usageRecord($0)) }),
    Reader(
      name: "registers", sample: { coding.encode([Samples.register(&$0), Samples.register(&$0)]) },
      read: { coding.encode(try coding.registers($0)) }),
    Reader(
      name: "list of applications",
      sample: { random in
        let apps = (0..<3).map { _ in
          InstalledApp(appID: Samples.appID(&random), name: "A", version: "1", suggestion: .learning)
        }
        return coding.encode(EntryList(apps).parts(number: 1)[0])
      }, read: { coding.encode(try coding.inventory($0).checked()) }),
    Reader(
      name: "state", sample: { coding.encode(WireSamples.state(&$0)) },
      read: { coding.encode(try coding.state($0)) }),
  ]

  /// Returns whether the bytes were read.
  ///
  /// Any error other than the two typed ones is a failure.
  private static func check(_ reader: Reader, _ bytes: [UInt8], _ note: String) -> Bool {
    do {
      let written = try reader.read(bytes)
      // Bytes that this implementation writes are readable, and stay the same when they are written
      // again. An empty run is left out.
      if let again = try? reader.read(written) {
        #expect(again == written, "\(reader.name): \(bytes) \(note)")
      } else {
        #expect(reader.name == "batch", "\(reader.name): what was read is not read again: \(bytes) \(note)")
      }
      return true
    } catch {
      #expect(error is WireError || error is BodyFault, "\(reader.name): \(error) \(note)")
      return false
    }
  }

  @Test func everyTruncationIsAValueOrATypedError() {
    var random = SeededRandom()
    for reader in Self.readers {
      for _ in 0..<3 {
        let bytes = reader.sample(&random)
        for count in 0..<min(bytes.count, 600) { _ = Self.check(reader, Array(bytes.prefix(count)), random.note) }
        #expect(Self.check(reader, bytes, random.note))
      }
    }
  }

  @Test func randomAndAlteredBytesAreValuesOrTypedErrors() {
    var random = SeededRandom()
    // A trap leaves no message, so the seed is printed before.
    print("fuzzing with \(random.note)")
    var (read, refused) = (0, 0)
    for round in 0..<20_000 {
      let reader = Self.readers[round % Self.readers.count]
      var bytes: [UInt8]
      switch random.below(4) {
      case 0: bytes = random.bytes(random.below(200))
      case 1:
        bytes = reader.sample(&random)
        for _ in 0...random.below(4) where !bytes.isEmpty {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
      case 2:
        bytes = reader.sample(&random)
        if !bytes.isEmpty {
          let start = random.below(bytes.count)
          bytes.removeSubrange(start..<min(bytes.count, start + 1 + random.below(8)))
        }
      default:
        bytes = reader.sample(&random)
        bytes.insert(contentsOf: random.bytes(1 + random.below(8)), at: random.below(bytes.count + 1))
      }
      if Self.check(reader, bytes, random.note) { read += 1 } else { refused += 1 }
    }
    #expect(read > 1_000 && refused > 1_000, "the inputs are worth something: \(read) read, \(refused) refused")
  }

  /// A reader that follows nested groups in unknown fields needs a stack frame for each.
  @Test func deepNestingIsRefused() {
    let start = [UInt8](repeating: 15 << 3 | 3, count: Limits.batchBytes)
    #expect(throws: WireError.self) { try SessionCodec.decode(start) }
    #expect(throws: WireError.self) { try PairingCodec.step(start) }
    #expect(throws: BodyFault.self) { try Self.coding.command(Array(start.prefix(Limits.itemBodyBytes))) }
  }

  @Test func aFrameFullOfTheLeastRunsIsRead() throws {
    // 13 bytes each: epoch, class, first number, and no items.
    let run = RawMessage().adding(1, number: 2).adding(2, fixed: 1).adding(3, number: 1)
    var bytes: [UInt8] = []
    while bytes.count + run.bytes.count + 2 <= Limits.batchBytes { bytes += RawMessage().adding(2, message: run).bytes }
    #expect(try SessionCodec.decode(bytes).runs.count == bytes.count / (run.bytes.count + 2))
  }
}
