import LatchkeyModel
import LatchkeyProtocol
import LatchkeyTestSupport

/// A real session machine, and at the other end an attacker who has the keys and sends what the
/// script determines.
struct SessionMeddling {
  private var victim: SessionMachine
  private var hostile: NoiseTransport
  private var now = BootInstant(milliseconds: 90_000_000)
  private var timers: SessionTimers
  private var hello: Hello?
  /// A Boolean value that indicates whether the victim has sent anything.
  private var hasSpoken = false
  private var sealedFrames: [[UInt8]] = []
  /// A Boolean value that indicates whether the victim refused a frame, which closes the
  /// connection.
  private(set) var isClosed = false

  init(victimCalled: Bool) {
    let transports = SessionKeys.shared.transports
    hostile = victimCalled ? transports.caller : transports.callee
    victim = SessionMachine(transport: victimCalled ? transports.callee : transports.caller, now: now)
    timers = SessionTimers(openedAt: now)
  }

  /// Performs the next step of the script.
  mutating func step(_ script: inout ByteScript) throws(FuzzFault) {
    switch script.choice(11) {
    case 0: try receive(plaintext: script.block())
    case 1: try receive(plaintext: SessionCodec.encode(batch(&script)))
    case 2: try refuse(script.block())
    case 3: if !sealedFrames.isEmpty { try refuse(sealedFrames[script.choice(sealedFrames.count)]) }
    case 4:
      var frame = seal(SessionCodec.encode(SessionBatch(ping: 3)), keepsPlace: true)
      frame[script.choice(frame.count)] ^= script.byte() | 1
      try refuse(frame)
    case 5:
      // These frames never arrive, so the frames after them are out of turn.
      for _ in 0...script.choice(3) { _ = seal([], keepsPlace: false) }
      try refuse(seal(SessionCodec.encode(SessionBatch(ping: 4)), keepsPlace: false))
      isClosed = true
    case 6:
      let scale = UInt8(script.choice(20))
      now = now + Int64(script.byte()) << Int64(scale)
      try fireTimer()
    case 7:
      // The next timer is not before the present time, otherwise its interpreter would loop.
      now = max(now, victim.nextTimer)
      if try fireTimer() == nil { throw FuzzFault("nothing is due when the timer says so") }
    case 8: try send(batch(&script))
    case 9: try refuse([UInt8](repeating: script.byte(), count: 65_536))
    default: try sendTooMuch()
    }
  }

  // MARK: What the victim is given

  /// Passes a genuine frame of the peer with any plaintext.
  private mutating func receive(plaintext: [UInt8]) throws(FuzzFault) {
    let batch = try? SessionCodec.decode(plaintext)
    let frame = seal(plaintext, keepsPlace: false)
    let found: Result<SessionBatch, SessionFault>
    do throws(SessionFault) { found = .success(try victim.received(frame, now: now)) } catch { found = .failure(error) }
    if batch?.rekey == true { hostile.rekeySending() }
    switch (found, verdict(batch)) {
    case (.success(let taken), .none):
      try require(taken == batch, "\(taken) was taken for \(String(describing: batch))")
      if hello == nil { hello = taken.hello }
      timers.received(now, isGreeted: hello != nil)
    case (.failure(let fault), let expected?):
      let isExpected =
        switch (fault, expected) {
        case (.violation, .violation): true
        default: fault == expected
        }
      try require(isExpected, "\(fault) where \(expected) is right, for \(plaintext)")
      isClosed = true
    case (.success, let expected?): throw FuzzFault("\(plaintext) was taken, which is \(expected)")
    case (.failure(let fault), .none): throw FuzzFault("\(plaintext) was refused: \(fault)")
    }
    try require(victim.peerHello == hello, "the Hello in force is \(String(describing: victim.peerHello))")
  }

  /// Returns the fault by Protocol/04-session.md §3 and §4: what must come first, and only once.
  private func verdict(_ batch: SessionBatch?) -> SessionFault? {
    guard let batch else { return .violation("") }
    guard let said = batch.hello else { return hello == nil && batch.goodbye == nil ? .violation("") : nil }
    if hello != nil { return .violation("") }
    if let refusal = said.refusal { return .refused(refusal) }
    guard said.versions.overlaps(Version.protocolRange) else { return .version }
    let isAlone = batch == SessionBatch(hello: said, rekey: batch.rekey)
    return hasSpoken || batch.goodbye != nil || isAlone ? nil : .violation("")
  }

  /// Passes a frame that is not the peer's next one, and checks that it is refused and changes
  /// nothing.
  private mutating func refuse(_ frame: [UInt8]) throws(FuzzFault) {
    let timer = victim.nextTimer
    do throws(SessionFault) { _ = try victim.received(frame, now: now) } catch {
      try require(error == .authentication, "a false frame was refused with \(error)")
      try require(victim.peerHello == hello && victim.nextTimer == timer, "a refused frame left something behind")
      return
    }
    throw FuzzFault("a false frame of \(frame.count) bytes was taken")
  }

  private mutating func seal(_ plaintext: [UInt8], keepsPlace: Bool) -> [UInt8] {
    do {
      if keepsPlace {
        var copy = hostile
        return try copy.seal(plaintext)
      }
      let frame = try hostile.seal(plaintext)
      if sealedFrames.count < 8 { sealedFrames.append(frame) }
      return frame
    } catch { preconditionFailure("a few short messages can be sealed: \(error)") }
  }

  // MARK: What the victim says

  @discardableResult private mutating func fireTimer() throws(FuzzFault) -> SessionMachine.TimerEffect? {
    let expected = timers.fire(now)
    let found = victim.timerFired(now: now)
    try require(found == expected, "\(String(describing: found)) is due where \(String(describing: expected)) is")
    if found == .dead || found == .renew { isClosed = true }
    return found
  }

  private mutating func send(_ batch: SessionBatch) throws(FuzzFault) {
    let frame: [UInt8]
    hasSpoken = true
    do throws(SessionFault) { frame = try victim.seal(batch, now: now) } catch {
      throw FuzzFault("a small batch was not sealed: \(error)")
    }
    guard let plaintext = try? hostile.open(frame), let opened = try? SessionCodec.decode(plaintext) else {
      throw FuzzFault("what the victim sealed cannot be read")
    }
    var expected = batch
    expected.rekey = timers.sealed(now) || batch.rekey
    if batch.rekey { timers.rekeyed(now) }
    if opened.rekey { hostile.rekeyReceiving() }
    try require(opened == expected, "\(expected) was sealed and read as \(opened)")
  }

  private mutating func sendTooMuch() throws(FuzzFault) {
    let item = DeliveryItem(
      sequence: 1, kind: .command, itemID: [UInt8](repeating: 1, count: 16),
      body: [UInt8](repeating: 2, count: Limits.batchBytes))
    do throws(SessionFault) {
      _ = try victim.seal(SessionBatch(runs: [ItemRun(streamClass: .command, epoch: 1, items: [item])]), now: now)
    } catch {
      isClosed = true
      return
    }
    throw FuzzFault("a batch over the limit was sealed")
  }

  private func batch(_ script: inout ByteScript) -> SessionBatch {
    var batch = SessionBatch()
    let parts = script.byte()
    if parts & 1 != 0 { batch.hello = hello(&script) }
    if parts & 2 != 0 {
      let first = UInt64(script.number16()) + 1
      batch.runs = [
        ItemRun(
          streamClass: streamClass(&script), epoch: UInt64(script.byte()) + 1,
          items: [
            DeliveryItem(
              sequence: first, kind: ItemKind(rawValue: UInt32(script.byte()) + 1), itemID: script.wholeBytes(16),
              body: script.block()), DeliveryItem(skipping: (first + 1)...(first + 1 + UInt64(script.byte()))),
          ])
      ]
    }
    if parts & 4 != 0 { batch.stored = [position(&script)] }
    if parts & 8 != 0 { batch.ping = script.number64() }
    if parts & 16 != 0 { batch.pong = UInt64(script.byte()) }
    if parts & 32 != 0 { batch.goodbye = Goodbye(rawValue: UInt32(script.byte() % 7 + 1)) }
    batch.rekey = parts & 64 != 0
    return batch
  }

  private func hello(_ script: inout ByteScript) -> Hello {
    let kind = script.byte()
    let least = UInt32(script.byte())
    return Hello(
      versions: least...(least + UInt32(script.byte())), runID: [UInt8](repeating: script.byte(), count: 16), name: "n",
      role: script.bool() ? .parent : .child, refusal: kind < 192 ? nil : Hello.Refusal(rawValue: UInt32(kind % 3 + 1)),
      windowItems: UInt32(script.byte()), windowBytes: UInt32(script.byte()), outgoing: [position(&script)],
      incoming: [position(&script)], held: kind & 2 == 0 ? [] : [held(&script)],
      keyID: [UInt8](repeating: kind & 1, count: 8))
  }

  private func held(_ script: inout ByteScript) -> HeldItem {
    HeldItem(streamClass: streamClass(&script), sequence: UInt64(script.byte()), itemID: script.wholeBytes(16))
  }

  private func position(_ script: inout ByteScript) -> StreamPosition {
    StreamPosition(streamClass: streamClass(&script), epoch: UInt64(script.byte()), through: UInt64(script.byte()))
  }

  private func streamClass(_ script: inout ByteScript) -> StreamClass {
    StreamClass.allCases[script.choice(StreamClass.allCases.count)]
  }
}
