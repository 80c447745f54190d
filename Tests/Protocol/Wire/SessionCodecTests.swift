import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport
import Testing

@Suite struct SessionCodecTests {
  @Test func everyBatchComesBackAsItWent() throws {
    var random = SeededRandom()
    for _ in 0..<500 {
      let batch = WireSamples.batch(&random)
      #expect(try SessionCodec.decode(SessionCodec.encode(batch)) == batch, "\(random.note)")
    }
    #expect(try SessionCodec.decode([]) == SessionBatch())
  }

  @Test func fieldsHaveTheNumbersOfTheSpecification() throws {
    let (runID, keyID) = ([UInt8](repeating: 5, count: 16), [UInt8](repeating: 6, count: 8))
    var batch = SessionBatch(
      hello: Hello(
        versions: 1...2, software: "0.1.0", runID: runID, name: "Emma", role: .child, refusal: .shuttingDown,
        windowItems: 7, windowBytes: 8, outgoing: [StreamPosition(streamClass: .usage, epoch: 9, through: 10)],
        incoming: [StreamPosition(streamClass: .control, epoch: 11, through: 12)],
        keyID: keyID, endedSessions: 22, devices: 23),
      runs: [
        ItemRun(
          streamClass: .command, epoch: 13,
          items: [
            DeliveryItem(sequence: 14, kind: .command, itemID: runID, body: [1, 2]), DeliveryItem(skipping: 15...17),
          ])
      ], stored: [StreamPosition(streamClass: .receipt, epoch: 18, through: 19)], ping: 0, pong: 21)
    batch.goodbye = .renew
    batch.rekey = true
    batch.reach = Reach(port: 23, addresses: [[10, 0, 0, 1]])
    batch.labels = SessionLabels(
      yours: DeviceLabel(
        DeviceName(sanitising: "Emma's PC"),
        at: HybridTimestamp(
          wall: 7, counter: 8, author: try #require(DeviceID(bytes: [UInt8](repeating: 9, count: 20))))))
    let hello = RawMessage().adding(1, number: 1).adding(2, number: 2).adding(3, text: "0.1.0").adding(4, bytes: runID)
      .adding(5, text: "Emma").adding(6, number: 2).adding(7, number: 2).adding(8, number: 7).adding(9, number: 8)
      .adding(10, message: Self.position(4, 9, 10)).adding(11, message: Self.position(1, 11, 12))
      .adding(12, bytes: keyID).adding(14, number: 22).adding(15, number: 23)
    let item = RawMessage().adding(1, number: 1).adding(2, bytes: runID).adding(3, bytes: [1, 2])
    let run = RawMessage().adding(1, number: 2).adding(2, fixed: 13).adding(3, number: 14).adding(4, message: item)
      .adding(4, message: RawMessage().adding(4, number: 3))
    let label = RawMessage().adding(1, text: "Emma's PC").adding(2, number: 7).adding(3, number: 8)
      .adding(4, bytes: [UInt8](repeating: 9, count: 20))
    let raw = RawMessage().adding(1, message: hello).adding(2, message: run).adding(
      3, message: Self.position(3, 18, 19)
    )
    .adding(4, number: 0).adding(5, number: 21).adding(6, number: 3).adding(7, number: 1)
    .adding(8, message: RawMessage().adding(1, number: 23).adding(2, bytes: [10, 0, 0, 1]))
    .adding(9, message: RawMessage().adding(2, message: label))
    #expect(SessionCodec.encode(batch) == raw.bytes)
  }

  /// The fields that every Hello must have.
  private static let plainHello = RawMessage().adding(1, number: 1).adding(2, number: 1)
    .adding(4, bytes: [UInt8](repeating: 5, count: 16)).adding(6, number: 1).adding(12, bytes: keyID)

  private static let keyID = [UInt8](repeating: 6, count: 8)

  private static func held(_ streamClass: UInt64, _ sequence: UInt64) -> RawMessage {
    RawMessage().adding(1, number: streamClass).adding(2, number: sequence)
      .adding(3, bytes: [UInt8](repeating: 6, count: 16))
  }

  private static func position(_ streamClass: UInt64, _ epoch: UInt64, _ through: UInt64) -> RawMessage {
    RawMessage().adding(1, number: streamClass).adding(2, fixed: epoch).adding(3, number: through)
  }

  private static func run(first: UInt64, epoch: UInt64 = 1, streamClass: UInt64 = 2, items: [RawMessage]) -> [UInt8] {
    let head = RawMessage().adding(1, number: streamClass).adding(2, fixed: epoch).adding(3, number: first)
    return RawMessage().adding(2, message: items.reduce(head) { $0.adding(4, message: $1) }).bytes
  }

  private static func reach(_ sizes: [Int]) -> [UInt8] {
    let port = RawMessage().adding(1, number: 4_000)
    let message = sizes.reduce(port) { $0.adding(2, bytes: [UInt8](repeating: 9, count: $1)) }
    return RawMessage().adding(8, message: message).bytes
  }

  private static func label(wall: UInt64, author: Int) -> [UInt8] {
    let label = RawMessage().adding(1, text: "x").adding(2, number: wall)
      .adding(4, bytes: [UInt8](repeating: 9, count: author))
    return RawMessage().adding(9, message: RawMessage().adding(1, message: label)).bytes
  }

  private static func item(kind: UInt64 = 1, id: Int = 16, body: Int = 0) -> RawMessage {
    RawMessage().adding(1, number: kind).adding(2, bytes: [UInt8](repeating: 3, count: id))
      .adding(3, bytes: [UInt8](repeating: 4, count: body))
  }

  @Test func fieldsOfLaterVersionsAreLeftOut() throws {
    let raw = RawMessage().adding(7, number: 1).adding(50, text: "later").adding(51, fixed: 3)
    #expect(try SessionCodec.decode(raw.bytes) == SessionBatch(rekey: true))
  }

  @Test func whatLaterVersionsNameHasAMeaning() throws {
    #expect(try SessionCodec.decode(RawMessage().adding(6, number: 99).bytes).goodbye == .protocolError)
    let hello = Self.plainHello.adding(7, number: 99)
    #expect(try SessionCodec.decode(RawMessage().adding(1, message: hello).bytes).hello?.refusal == .version)
    // An item of an unknown kind takes its number, so that it never stops the stream.
    let batch = try SessionCodec.decode(Self.run(first: 4, items: [Self.item(kind: 4_000_000_000), Self.item()]))
    #expect(batch.runs.first?.items.map(\.sequence) == [4, 5])
    #expect(batch.runs.first?.items.map(\.kind) == [ItemKind(rawValue: 4_000_000_000), .command])
  }

  @Test func skipsStandForOneNumberOrMore() throws {
    let skips = [RawMessage(), RawMessage().adding(4, number: 1), RawMessage().adding(4, number: 5)]
    let items = try SessionCodec.decode(Self.run(first: 10, items: skips + [Self.item()])).runs.first?.items
    #expect(items?.map(\.sequence) == [10, 11, 12, 17])
    #expect(items?.map(\.skipThrough) == [10, 11, 16, 17])
  }

  @Test(
    arguments: [
      ("no port", RawMessage().adding(8, message: RawMessage().adding(2, bytes: [10, 0, 0, 1])).bytes),
      ("a port over the last one", RawMessage().adding(8, message: RawMessage().adding(1, number: 65_536)).bytes),
      ("an address of five bytes", reach([5])), ("an address of none", reach([0])),
      ("too many addresses", reach([Int](repeating: 4, count: 17))),
      ("a label of nobody's", label(wall: 1, author: 0)), ("a label of a short author", label(wall: 1, author: 19)),
      ("a label after the last time", label(wall: UInt64(HybridTimestamp.wallLimit), author: 20)),
      ("a label before all time", label(wall: .max, author: 20)),
      ("no first number", run(first: 0, items: [item()])),
      ("no epoch", run(first: 1, epoch: 0, items: [item()])),
      ("no class", run(first: 1, streamClass: 0, items: [item()])),
      ("an unknown class", run(first: 1, streamClass: 5, items: [item()])),
      ("a class that is cut to a known one", run(first: 1, streamClass: 258, items: [item()])),
      ("a short ID", run(first: 1, items: [item(id: 15)])),
      ("a long ID", run(first: 1, items: [item(id: 17)])),
      ("no ID", run(first: 1, items: [item(id: 0)])),
      ("a body over the limit", run(first: 1, items: [item(body: Limits.itemBodyBytes + 1)])),
      ("a skip with an ID", run(first: 1, items: [item(kind: 0, id: 16)])),
      ("a skip with a body", run(first: 1, items: [item(kind: 0, id: 0, body: 1)])),
      ("a skip over the last number", run(first: 2, items: [RawMessage().adding(4, number: .max)])),
      ("a skip to the last number", run(first: 1, items: [RawMessage().adding(4, number: .max)])),
      ("an item with the last number", run(first: .max, items: [item()])),
      ("an ID that is a number", RawMessage().adding(2, message: RawMessage().adding(2, number: 1)).bytes + [0x80]),
      ("a length beyond the end", [0x12, 0x7F, 0x00]),
    ] as [(String, [UInt8])])
  func malformedBatchesAreThePeersFault(what: String, bytes: [UInt8]) {
    #expect(throws: WireError.self, "\(what)") { try SessionCodec.decode(bytes) }
  }

  @Test func aBodyAtTheLimitIsRead() throws {
    let batch = try SessionCodec.decode(Self.run(first: 1, items: [Self.item(body: Limits.itemBodyBytes)]))
    #expect(batch.runs.first?.items.first?.body.count == Limits.itemBodyBytes)
  }

  @Test(
    arguments: [
      (
        "a short run ID",
        RawMessage().adding(1, number: 1).adding(2, number: 1).adding(4, bytes: [1]).adding(6, number: 1)
          .adding(12, bytes: keyID)
      ),
      ("a short key ID", plainHello.adding(12, bytes: [UInt8](repeating: 6, count: 7))),
      ("a long key ID", plainHello.adding(12, bytes: [UInt8](repeating: 6, count: 9))),
      ("no key ID", plainHello.adding(12, bytes: [])),
      (
        "versions in the wrong order",
        RawMessage().adding(1, number: 2).adding(2, number: 1).adding(4, bytes: [UInt8](repeating: 5, count: 16))
          .adding(6, number: 1).adding(12, bytes: keyID)
      ),
      (
        "no role",
        RawMessage().adding(1, number: 1).adding(2, number: 1).adding(4, bytes: [UInt8](repeating: 5, count: 16))
          .adding(12, bytes: keyID)
      ),
      ("too many positions sent", (0..<17).reduce(plainHello) { raw, _ in raw.adding(10, message: position(1, 1, 1)) }),
      (
        "too many positions received",
        (0..<17).reduce(plainHello) { raw, _ in raw.adding(11, message: position(1, 1, 1)) }
      ),
      ("too many held items", (0..<17).reduce(plainHello) { raw, _ in raw.adding(13, message: held(1, 1)) }),
      (
        "a class that is sent twice",
        plainHello.adding(10, message: position(2, 1, 1)).adding(10, message: position(2, 3, 4))
      ),
      (
        "a class that is received twice",
        plainHello.adding(11, message: position(2, 1, 1)).adding(11, message: position(2, 1, 1))
      ),
      ("a class that is held twice", plainHello.adding(13, message: held(2, 1)).adding(13, message: held(2, 2))),
      ("a position of an unknown class", plainHello.adding(11, message: position(5, 1, 1))),
      ("a held item of no class", plainHello.adding(13, message: held(0, 1))),
    ] as [(String, RawMessage)])
  func malformedHellosAreThePeersFault(what: String, hello: RawMessage) {
    #expect(throws: WireError.self, "\(what)") { try SessionCodec.decode(RawMessage().adding(1, message: hello).bytes) }
  }

  @Test func aClassMayBeInEachListOfAHello() throws {
    let hello = (1...4).reduce(Self.plainHello) { raw, streamClass in
      raw.adding(10, message: Self.position(streamClass, 9, 9)).adding(11, message: Self.position(streamClass, 8, 8))
        .adding(13, message: Self.held(streamClass, 7))
    }
    let read = try SessionCodec.decode(RawMessage().adding(1, message: hello).bytes).hello
    #expect(read?.outgoing.map(\.streamClass) == StreamClass.allCases)
    #expect(read?.incoming.map(\.streamClass) == StreamClass.allCases)
    #expect(read?.held.map(\.streamClass) == StreamClass.allCases)
  }

  @Test func aReachWithoutAddressesIsRead() throws {
    #expect(try SessionCodec.decode(Self.reach([])).reach == Reach(port: 4_000, addresses: []))
  }

  @Test func namesInAHelloAreMadeSafeToShow() throws {
    let hello = Hello(
      software: "1\u{1B}[2J", runID: [UInt8](repeating: 5, count: 16),
      name: "Emma\u{202E}\n" + String(repeating: "x", count: 99),
      role: .child, outgoing: [], incoming: [], keyID: Self.keyID)
    let read = try SessionCodec.decode(SessionCodec.encode(SessionBatch(hello: hello))).hello
    #expect(read?.software == "1\u{FFFD}[2J")
    #expect(read?.name.hasPrefix("Emma\u{FFFD}\u{FFFD}xxx") == true)
    #expect(read?.name.utf8.count ?? 0 <= DeviceName.maximumBytes)
  }

  /// Code that fills a batch to its limit relies on this bound.
  @Test func anItemAddsNoMoreThanItsStatedSize() {
    var random = SeededRandom()
    for bytes in [0, 1, 127, 128, 20_000, Limits.itemBodyBytes] {
      for kind in [ItemKind.command, .receipt, .usageRecord, .removal] {
        let item = Samples.item(UInt64.max - 2, kind: kind, bytes: bytes, &random)
        // Each item is in a run of its own, which costs the most.
        let run = ItemRun(streamClass: .usage, epoch: .max, items: [item])
        #expect(SessionCodec.encode(SessionBatch(runs: [run])).count <= SessionCodec.encodedSize(of: item))
      }
    }
    let skip = DeliveryItem(skipping: 1...(UInt64.max - 2))
    let run = ItemRun(streamClass: .usage, epoch: .max, items: [skip])
    #expect(SessionCodec.encode(SessionBatch(runs: [run])).count <= SessionCodec.encodedSize(of: skip))
  }
}
