import LatchkeyModel
import LatchkeyProtocol
import Testing

/// Tests of a link when a pairing, a rotation, a removal or a copy changes the relation between the
/// two devices.
///
/// Spec: Protocol/03-pairing.md §5, 04-session.md §9 and §10, 06-messages.md §7.
@Suite struct LinkStandingTests {
  private static let untold = PeerStanding(state: .removedUntold, keys: PairwiseKeys(present: LinkRig.key))
  private static let control = LinkStreams(outbox: [.control: OutboxPosition(epoch: 5, storedThrough: 0, last: 1)])

  private static func removal(_ sequence: UInt64 = 1, body: [UInt8] = [1]) -> [DeliveryItem] {
    [DeliveryItem(sequence: sequence, kind: .removal, itemID: [UInt8](repeating: 7, count: 16), body: body)]
  }

  // MARK: Pairing

  @Test func aSessionWithThePendingKeyCompletesThePairing() {
    var rig = LinkRig(PeerStanding(state: .pending, keys: PairwiseKeys(present: []), pendingKey: LinkRig.key))
    _ = rig.open()
    guard case .opened(_, .completes, _)? = rig.take().notes.first else {
      Issue.record("the pairing is not completed")
      return
    }
  }

  @Test(arguments: [DeviceRole.parent, .child])
  func aJoinerWhosePendingKeyIsNotTakenKnowsThatThePairingWasRolledBack(role: DeviceRole) throws {
    var rig = LinkRig(
      PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key), pendingKey: LinkRig.otherKey), role: role)
    let number = try unwrap(rig.call(offered: LinkRig.otherKey, answeredWith: LinkRig.key))
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    guard case .opened(_, let proof, _)? = rig.take().notes.first else {
      Issue.record("the session is not noted")
      return
    }
    #expect(proof == (role == .child ? .refutes : .nothing))
  }

  @Test func aCallFromBeforeAPairingSaysNothingOfIt() throws {
    var rig = LinkRig(
      PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key), pendingKey: LinkRig.otherKey), role: .child
    )
    let number = try unwrap(rig.call(offered: nil, answeredWith: LinkRig.key))
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    guard case .opened(_, .nothing, _)? = rig.take().notes.first else {
      Issue.record("it counted as a proof")
      return
    }
  }

  @Test func aSessionFromBeforeAPairingThatIsFinalMakesWay() throws {
    var rig = LinkRig(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.otherKey)))
    let number = try unwrap(rig.accept(key: LinkRig.key))
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    #expect(rig.take().said(on: number).last?.goodbye == .renew && rig.machine.current == nil)
  }

  // MARK: Rotation

  @Test func aParentRenewsTheSessionOnceItsNewKeyIsStored() {
    var keys = PairwiseKeys(present: LinkRig.key)
    keys.offered(LinkRig.otherKey)
    var rig = LinkRig(PeerStanding(state: .active, keys: keys), streams: Self.control)
    let number = rig.open()
    rig.note()
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .control, epoch: 5, through: 1)]), on: number)
    keys.stored()
    rig.tell { $0.changed(PeerStanding(state: .active, keys: keys), keyID: [2], now: $1) }
    rig.tell { $0.streamsRead(Self.control, now: $1) }
    rig.tell { $0.noted(.stored(hasNewKeys: true), now: $1) }
    #expect(rig.effects.said(on: number).contains { $0.goodbye == .renew })
  }

  @Test func theKeyThatThePeerNamesIsNotedWhileAnEarlierOneIsHeld() {
    for previous in [nil, LinkRig.otherKey] {
      var rig = LinkRig(
        PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key, previous: previous)), role: .child)
      _ = rig.open(LinkRig.hello(keyID: [1, 2]))
      var notes: [LinkNote] = []
      rig.note {
        notes.append($0)
        return .done
      }
      #expect(notes.contains(.keyNamed([1, 2])) == (previous != nil))
    }
  }

  // MARK: Removal

  @Test func aRemovedDeviceHearsThatAndNothingElseIsTaken() throws {
    var rig = LinkRig(Self.untold, streams: Self.control)
    let number = rig.open()
    rig.note()
    let load = try #require(rig.take().loads.first)
    rig.tell { $0.loaded(load, Self.removal(), now: $1) }
    let run = ItemRun(
      streamClass: .usage, epoch: 3,
      items: [
        DeliveryItem(sequence: 1, kind: .usageRecord, itemID: [UInt8](repeating: 3, count: 16), body: [1])
      ])
    rig.receive(SessionBatch(runs: [run]), on: number)
    #expect(rig.effects.commits.isEmpty)
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .control, epoch: 5, through: 1)]), on: number)
    var notes: [LinkNote] = []
    rig.note { note in
      notes.append(note)
      if case .forget = note { return .stored(hasNewKeys: false) }
      return note == .removalSent ? .count(1) : .done
    }
    #expect(notes.contains(.removalSent) && notes.contains(.removalTold(.taken)))
  }

  /// When the note of its last item is stored, the machine still knows the old stream.
  @Test func whatWasStoredBeforeTheRemovalIsNoSignThatItIsKnown() throws {
    var rig = LinkRig(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key)), streams: Self.control)
    let number = rig.open()
    rig.note()
    let first = try #require(rig.take().loads.first)
    let item = DeliveryItem(sequence: 1, kind: .keyRotation, itemID: [UInt8](repeating: 3, count: 16), body: [1])
    rig.tell { $0.loaded(first, [item], now: $1) }
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .control, epoch: 5, through: 1)]), on: number)
    #expect(rig.take().notes.contains { if case .forget = $0 { true } else { false } })
    rig.tell { $0.changed(Self.untold, keyID: [2], now: $1) }
    rig.tell { $0.noted(.stored(hasNewKeys: false), now: $1) }
    let anew = LinkStreams(outbox: [.control: OutboxPosition(epoch: 6, storedThrough: 0, last: 1)])
    var notes: [LinkNote] = []
    let keep: (LinkNote) -> LinkNoteAnswer = { note in
      notes.append(note)
      if case .forget = note { return .stored(hasNewKeys: false) }
      return note == .removalSent ? .count(1) : .done
    }
    for _ in 0..<2 { rig.tell { $0.streamsRead(anew, now: $1) } }
    rig.note(keep)
    #expect(!notes.contains(.removalTold(.taken)))
    let load = try #require(rig.take().loads.last { $0.epoch == 6 })
    rig.tell { $0.loaded(load, Self.removal(), now: $1) }
    rig.receive(SessionBatch(stored: [StreamPosition(streamClass: .control, epoch: 6, through: 1)]), on: number)
    rig.note(keep)
    #expect(notes.contains(.removalTold(.taken)))
  }

  @Test func bothHaveRemovedEachOther() {
    var rig = LinkRig(Self.untold, streams: Self.control)
    let number = rig.open()
    rig.receive(
      SessionBatch(runs: [ItemRun(streamClass: .control, epoch: 3, items: Self.removal())]), on: number)
    var notes: [LinkNote] = []
    rig.note { note in
      notes.append(note)
      if case .forget = note { return .stored(hasNewKeys: false) }
      return .done
    }
    #expect(notes.contains(.removalTold(.taken)))
  }

  @Test func aForgedRemovalEndsNothingButTheSession() {
    var rig = LinkRig(Self.untold, streams: Self.control)
    let number = rig.open()
    rig.receive(
      SessionBatch(runs: [ItemRun(streamClass: .control, epoch: 3, items: Self.removal(body: [0xBD]))]), on: number)
    #expect(rig.effects.said(on: number).last?.goodbye == .protocolError)
  }

  @Test func whoWasSentItOftenEnoughCountsAsTold() throws {
    var standing = Self.untold
    standing.removalSessions = Limits.removalSessions
    var rig = LinkRig(standing, streams: Self.control)
    let number = try unwrap(rig.accept())
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    let effects = rig.take()
    #expect(effects.said(on: number).last?.goodbye == .removed && effects.notes == [.removalTold(.sentOften)])
  }

  @Test func whoIsSilentSinceItWasSentItsRemovalCountsAsTold() throws {
    var standing = Self.untold
    standing.removalSessions = 1
    var rig = LinkRig(standing, streams: Self.control)
    let call = try unwrap(rig.lookUp())
    _ = rig.take()
    rig.tell { $0.callEnded(call, .silent(""), now: $1) }
    #expect(rig.take().notes == [.removalMetSilence])
    rig.tell { $0.noted(.count(Limits.removalSilences), now: $1) }
    #expect(rig.take().notes == [.removalTold(.silent)])
  }

  @Test func aDeviceThatNeverAnsweredIsNotCalledForEver() {
    var standing = Self.untold
    standing.removalSilences = Limits.removalCalls
    let rig = LinkRig(standing, streams: Self.control)
    #expect(rig.machine.nextTimer == nil && !rig.machine.dialler.isDialling)
  }

  @Test func theRemovalIsNotForANewPairing() {
    var standing = Self.untold
    standing.pendingKey = LinkRig.otherKey
    var rig = LinkRig(standing, streams: Self.control)
    _ = rig.open(key: LinkRig.otherKey)
    #expect(rig.take().loads.isEmpty)
  }

  @Test func thePeerRemovesThisDevice() throws {
    var rig = LinkRig()
    let number = rig.open()
    _ = rig.take()
    rig.receive(SessionBatch(runs: [ItemRun(streamClass: .control, epoch: 3, items: Self.removal())]), on: number)
    let runs = try #require(rig.take().commits.first)
    rig.tell { $0.committed(runs, wasRemoved: true, now: $1) }
    let said = rig.take().said(on: number)
    // The item is reported as stored before the goodbye.
    #expect(said.first?.stored.isEmpty == false && said.last?.goodbye == .removed && rig.machine.isEnded)
  }

  // MARK: Copies

  @Test func aRunThatReturnsTwiceIsQuarantined() throws {
    var rig = LinkRig()
    for (ended, run) in [4, 5, 4, 5].enumerated() {
      _ = rig.open(LinkRig.hello(run: UInt8(run), ended: UInt64(ended)))
      rig.note()
      #expect(!rig.machine.standing.isQuarantined)
    }
    _ = rig.take()
    let number = try unwrap(rig.accept())
    rig.receive(SessionBatch(hello: LinkRig.hello(run: 4)), on: number)
    let effects = rig.take()
    #expect(rig.machine.standing.isQuarantined && effects.notes.contains(.quarantine) && rig.machine.current == nil)
    #expect(effects.said(on: number).first?.hello?.refusal == .duplicateIdentity)
  }

  @Test func aDeviceInQuarantineIsTurnedAwayAndNotCalled() throws {
    var rig = LinkRig(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key), isQuarantined: true))
    #expect(!rig.machine.dialler.isDialling)
    let number = try unwrap(rig.accept())
    rig.receive(SessionBatch(hello: LinkRig.hello()), on: number)
    #expect(rig.take().said(on: number).first?.hello?.refusal == .duplicateIdentity && !rig.machine.holds(number))
  }

  @Test func aNewPairingLiftsAQuarantine() throws {
    var rig = LinkRig(
      PeerStanding(
        state: .active, keys: PairwiseKeys(present: LinkRig.key), pendingKey: LinkRig.otherKey, isQuarantined: true))
    let number = rig.open(key: LinkRig.otherKey)
    #expect(rig.machine.current == number)
  }

  @Test func aQuarantineThatTheDiskRefusesHoldsAndIsNotedLater() throws {
    var rig = LinkRig()
    for (ended, run) in [4, 5, 4, 5].enumerated() {
      _ = rig.open(LinkRig.hello(run: UInt8(run), ended: UInt64(ended)))
      rig.note()
    }
    let number = try unwrap(rig.accept())
    rig.receive(SessionBatch(hello: LinkRig.hello(run: 4)), on: number)
    rig.tell { $0.noteFailed(LinkFault(isOfDisk: true, text: "full"), now: $1) }
    _ = rig.take()
    #expect(rig.machine.standing.isQuarantined)
    var released = rig
    rig.tell { $0.diskRecovered(now: $1) }
    #expect(rig.take().notes == [.quarantine])
    // A person who releases the device reverses that.
    released.tell {
      $0.changed(PeerStanding(state: .active, keys: PairwiseKeys(present: LinkRig.key)), keyID: [1], now: $1)
    }
    released.tell { $0.diskRecovered(now: $1) }
    #expect(!released.take().notes.contains(.quarantine))
  }
}
