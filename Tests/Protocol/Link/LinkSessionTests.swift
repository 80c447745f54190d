import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of a link's sessions, state by state: Protocol/04-session.md §4 to §7 and §11.
@Suite struct LinkSessionTests {
  // MARK: Greeting

  @Test func theCallerSaysHelloFirst() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.call())
    let said = rig.take().said(on: number)
    #expect(said.count == 1 && said.first?.hello?.devices == 3 && said.first?.hello?.endedSessions == 0)
    #expect(rig.machine.attempt == number && rig.machine.current == nil)
  }

  @Test func theCalleeSaysNothingBeforeTheCallersHello() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.accept())
    #expect(rig.take().said(on: number).isEmpty)
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    #expect(rig.machine.current == number)
    let said = rig.take().said(on: number)
    #expect(said.first?.hello != nil && said.dropFirst().allSatisfy { $0.hello == nil })
  }

  @Test func nothingIsReadWhileTheDiskLooksAtAHello() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.call())
    _ = rig.take()
    rig.tell { $0.received(SessionBatch(hello: LinkRig.hello(), ping: 5), on: number, now: $1) }
    #expect(!rig.machine.wantsFrames(number) && rig.take().said(on: number).isEmpty)
    rig.tell { $0.judged(number, foreign: [], now: $1) }
    let effects = rig.take()
    #expect(rig.machine.wantsFrames(number))
    #expect(effects.contains { if case .read(number) = $0 { true } else { false } })
    // The other content of the batch is processed after the Hello.
    #expect(effects.said(on: number).contains { $0.pong == 5 })
  }

  @Test func aSessionEndsIfTheDiskCannotLook() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.accept())
    rig.tell { $0.received(SessionBatch(hello: LinkRig.hello()), on: number, now: $1) }
    rig.tell { $0.judgeFailed(number, LinkFault(isOfDisk: true, text: "full"), now: $1) }
    #expect(rig.take().aborted == [number] && rig.machine.trouble == .disk("full"))
  }

  @Test func withoutAHelloASessionDies() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.accept())
    rig.tell(after: Limits.greetingMilliseconds) { $0.timerFired(now: $1) }
    #expect(rig.take().aborted == [number] && rig.machine.trouble == .unheard)
  }

  @Test func dataBeforeTheHelloBreaksARule() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.accept())
    rig.receive(SessionBatch(ping: 1), on: number)
    #expect(rig.take().said(on: number).last?.goodbye == .protocolError && !rig.machine.holds(number))
  }

  // MARK: Two sessions

  @Test func aCallIsOfNoUseOnceThePeerHasCalled() throws {
    var rig = LinkRig()
    let call = try unwrap(rig.lookUp())
    _ = rig.open()
    #expect(rig.effects.contains { if case .giveUp(call) = $0 { true } else { false } })
    var number: Int?
    rig.tell { number = $0.opened(call: call, LinkRig.ends, pairwiseKey: LinkRig.key, offeredKey: nil, now: $1) }
    #expect(number == nil)
  }

  @Test func ofTwoSessionsTheOneThatTheLowerDeviceCalledForIsKept() throws {
    // This device's ID is the lower one.
    var rig = LinkRig()
    let attempt = try unwrap(rig.call())
    let accepted = try unwrap(rig.accept())
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: accepted)
    #expect(rig.take().said(on: accepted).last?.goodbye == .duplicate)
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: attempt)
    #expect(rig.machine.current == attempt && rig.machine.dialler.failures == 0)
  }

  @Test func aSessionOfANewProcessTakesThePlaceOfTheOldOne() throws {
    var rig = LinkRig()
    let first = rig.open()
    let second = rig.open(LinkRig.hello(run: 5))
    #expect(rig.machine.current == second && rig.machine.endedSessions == 1)
    #expect(rig.take().said(on: first).last?.goodbye == .duplicate)
  }

  @Test func aGoodbyeOfADuplicateWithoutAnotherSessionIsAFailedTry() throws {
    var rig = LinkRig()
    let number = try unwrap(rig.call())
    rig.receive(SessionBatch(goodbye: .duplicate), on: number)
    #expect(rig.machine.dialler.failures == 1)
  }

  // MARK: Up

  @Test func aPingIsAnsweredAndSilenceIsAskedAbout() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(ping: 7), on: number)
    #expect(rig.take().said(on: number).map(\.pong) == [7])
    rig.tell(after: Limits.keepAliveMilliseconds) { $0.timerFired(now: $1) }
    #expect(rig.take().said(on: number).map(\.ping) == [1])
    rig.tell(after: Limits.deadMilliseconds - Limits.keepAliveMilliseconds) { $0.timerFired(now: $1) }
    #expect(rig.take().aborted == [number] && rig.machine.endedSessions == 1)
  }

  @Test func aSessionIsRenewedAfterADay() throws {
    var rig = LinkRig()
    let number = rig.open()
    for _ in 0..<(Limits.sessionMilliseconds / 50_000) {
      rig.tell(after: 50_000) { $0.timerFired(now: $1) }
      if rig.machine.holds(number) { rig.receive(SessionBatch(pong: 1), on: number) }
    }
    rig.tell(after: 50_000) { $0.timerFired(now: $1) }
    #expect(rig.take().said(on: number).last?.goodbye == .renew && rig.machine.current == nil)
  }

  @Test func bothSidesRepeatWhatTheyHold() throws {
    let held = StreamPosition(streamClass: .receipt, epoch: 3, through: 8)
    var rig = LinkRig(streams: LinkStreams(inbox: [held]))
    let number = rig.open(LinkRig.hello(outgoing: [held]))
    for _ in 0..<18 {
      rig.tell(after: 50_000) { $0.timerFired(now: $1) }
      rig.receive(SessionBatch(pong: 1), on: number)
    }
    #expect(rig.take().said(on: number).contains { $0.stored == [held] })
  }

  @Test(arguments: [Goodbye.shuttingDown, .duplicate, .renew, .protocolError, .removed, .version, .duplicateIdentity])
  func aGoodbyeEndsASession(goodbye: Goodbye) {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(ping: 3, goodbye: goodbye), on: number)
    let effects = rig.take()
    #expect(effects.closed == [number] && effects.said(on: number).isEmpty && rig.machine.current == nil)
    switch goodbye {
    case .version: #expect(rig.machine.trouble == .version)
    case .duplicateIdentity: #expect(rig.machine.trouble == .turnedAway && effects.news.contains(.turnedAway))
    default: #expect(rig.machine.trouble == nil)
    }
  }

  @Test(arguments: [Hello.Refusal.version, .shuttingDown, .duplicateIdentity])
  func aRefusalEndsASession(refusal: Hello.Refusal) throws {
    var rig = LinkRig()
    let number = try unwrap(rig.call())
    rig.receive(SessionBatch(hello: LinkRig.hello(refusal: refusal)), on: number)
    #expect(!rig.machine.holds(number) && rig.machine.trouble != nil && rig.machine.current == nil)
  }

  @Test func aFrameThatDoesNotOpenEndsASessionWithoutAWord() {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.tell { $0.faulted(number, .authentication, now: $1) }
    let effects = rig.take()
    #expect(effects.closed == [number] && effects.said(on: number).isEmpty)
  }

  @Test func whatComesInAfterTheEndIsPassedOver() {
    var rig = LinkRig()
    let number = rig.open()
    rig.tell { $0.connectionEnded(number, now: $1) }
    _ = rig.take()
    rig.receive(SessionBatch(ping: 1), on: number)
    #expect(rig.take().said(on: number).isEmpty && !rig.machine.wantsFrames(number))
  }

  @Test func afterAnHourAKeyChanges() {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(ping: 1), on: number)
    #expect(rig.take().said(on: number).map(\.rekey) == [false])
    rig.now = rig.now + Limits.rekeyMilliseconds
    rig.receive(SessionBatch(ping: 2), on: number)
    rig.receive(SessionBatch(ping: 3), on: number)
    #expect(rig.take().said(on: number).map(\.rekey) == [true, false])
  }

  // MARK: Doubt

  @Test func whenThePeerIsAnnouncedElsewhereItIsAskedAndThenCalledBesideTheSession() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    let elsewhere = SocketEndpoint(host: "192.0.2.9", port: 7)
    rig.tell { $0.discovered([elsewhere], instance: "a", now: $1) }
    #expect(rig.take().said(on: number).map(\.ping) == [1])
    rig.tell(after: Limits.callBesideMilliseconds) { $0.timerFired(now: $1) }
    rig.tell(after: 2) { $0.timerFired(now: $1) }
    #expect(rig.take().isLookingUp)
    let call = try unwrap(rig.lookUp())
    var other: Int?
    rig.tell { other = $0.opened(call: call, LinkRig.ends, pairwiseKey: LinkRig.key, offeredKey: nil, now: $1) }
    let effects = rig.take()
    // The silent session is closed before the new one's Hello, which counts it.
    #expect(effects.aborted == [number])
    #expect(effects.said(on: try unwrap(other)).first?.hello?.endedSessions == 1)
  }

  @Test func aSessionThatAnswersStaysAndTheCallsAreGivenUp() throws {
    var rig = LinkRig()
    let number = rig.open()
    rig.tell { $0.discovered([SocketEndpoint(host: "192.0.2.9", port: 7)], instance: "a", now: $1) }
    rig.tell(after: Limits.callBesideMilliseconds) { $0.timerFired(now: $1) }
    rig.tell(after: 2) { $0.timerFired(now: $1) }
    let call = try unwrap(rig.lookUp())
    rig.receive(SessionBatch(pong: 1), on: number)
    #expect(rig.take().contains { if case .giveUp(call) = $0 { true } else { false } })
    #expect(rig.machine.current == number)
  }

  @Test func anAddressOfTheOtherVersionSaysNothing() {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.tell { $0.discovered([SocketEndpoint(host: "2001:db8::9", port: 7)], instance: "a", now: $1) }
    #expect(rig.take().said(on: number).isEmpty)
  }

  @Test func aSessionWhoseOwnAddressIsGoneIsClosedAndAnotherIsAsked() {
    for host in ["192.0.2.1", "192.0.2.77"] {
      var rig = LinkRig()
      let number = rig.open()
      _ = rig.take()
      rig.tell { $0.networkChanged(LinkSurroundings(ownHosts: [host]), now: $1) }
      let effects = rig.take()
      #expect(effects.aborted == (host == "192.0.2.1" ? [] : [number]))
      #expect(effects.said(on: number).compactMap(\.ping) == (host == "192.0.2.1" ? [1] : []))
    }
  }

  // MARK: The end of a link

  @Test func thePeerHearsThatTheNodeStops() {
    var rig = LinkRig()
    let number = rig.open()
    rig.tell { $0.shutDown(now: $1) }
    #expect(rig.take().said(on: number).last?.goodbye == .shuttingDown && rig.machine.isEnded)
    #expect(rig.accept() == nil && rig.machine.nextTimer == nil)
  }

  @Test func aPeerThatIsForgottenHearsNothing() {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.tell { $0.vanish(now: $1) }
    let effects = rig.take()
    #expect(effects.aborted == [number] && effects.said(on: number).isEmpty)
  }

  // MARK: Reach

  @Test func eachSideTellsWhereItCanBeCalled() {
    var rig = LinkRig()
    let number = rig.open()
    #expect(rig.take().said(on: number).contains { $0.reach == Reach(port: 7, addresses: [[192, 0, 2, 1]]) })
    let reach = Reach(port: 9, addresses: [[127, 0, 0, 1], [192, 0, 2, 5]])
    rig.receive(SessionBatch(reach: reach), on: number)
    rig.note()
    // The address of the connection comes first; loopback addresses are ignored.
    #expect(rig.machine.toldAddresses.map(\.description) == ["192.0.2.2:9", "192.0.2.5:9"])
  }

  // MARK: Names

  @Test func eachSideTellsWhatTheTwoAreCalledOnceAndWheneverThatChanges() {
    var rig = LinkRig()
    let author = LinkRig.own
    func label(_ text: String, _ wall: Int64) -> DeviceLabel {
      DeviceLabel(DeviceName(sanitising: text), at: HybridTimestamp(wall: wall, counter: 0, author: author))
    }
    let first = SessionLabels(own: label("A", 1))
    rig.tell { $0.named("A", first, now: $1) }
    #expect(rig.take().isEmpty, "nobody is there to hear it")
    let number = rig.open()
    let opening = rig.effects.said(on: number)
    #expect(opening.compactMap(\.labels) == [first])
    #expect(opening.compactMap(\.hello).allSatisfy { $0.name == "A" })
    rig.note()
    _ = rig.take()
    rig.tell { $0.named("A", first, now: $1) }
    #expect(rig.take().said(on: number).isEmpty)
    let second = SessionLabels(own: label("A", 1), yours: label("B", 2))
    rig.tell { $0.named("A", second, now: $1) }
    #expect(rig.take().said(on: number).compactMap(\.labels) == [second])
    // The peer's labels are passed to the disk.
    let said = SessionLabels(own: label("C", 3))
    rig.receive(SessionBatch(labels: said), on: number)
    #expect(
      rig.take().contains {
        if case .note(.labels(let labels)) = $0 { labels == said } else { false }
      })
  }
}
