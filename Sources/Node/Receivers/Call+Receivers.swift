import LatchkeyHousehold
import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore

extension Call {
  func receivers() async throws -> [ReceiverListing] {
    let day = try await receiversDay()
    var listings: [ReceiverListing] = []
    for receiver in try await store.receivers() { listings.append(try await listing(of: receiver, on: day)) }
    return listings
  }

  private func listing(of receiver: StoredReceiver, on day: FamilyDay) async throws -> ReceiverListing {
    let (given, state) = (
      try await store.given(by: receiver.name, on: day.description), context.bridges[receiver.name]
    )
    return ReceiverListing(
      name: receiver.name, kind: receiver.kind, rights: receiver.rights, mostMinutes: receiver.most.minutes,
      usedMinutes: given.minutes, mostMilliPoints: receiver.most.milliPoints, usedMilliPoints: given.milliPoints,
      addedAt: receiver.addedAt, isRunning: state.readers > 0, fault: state.fault, faultSince: state.since)
  }

  func add(_ new: NewReceiver) async throws -> AddedReceiver {
    let token = Hexadecimal.encode(SecureRandom.bytes(32))
    let receiver = StoredReceiver(
      name: new.name, kind: new.kind, rights: ReceiverRight.allCases.filter(new.rights.contains),
      most: ReceiverGift(minutes: new.mostMinutes, milliPoints: new.mostMilliPoints), addedAt: context.wall())
    guard try await store.setReceiver(receiver, token: SHA256.hash(Array(token.utf8))) else {
      throw LocalAPIError(
        .limit, "There are \(Store.mostReceivers) receivers, as many as a node has: remove one of them first.")
    }
    return AddedReceiver(receiver: try await listing(of: receiver, on: receiversDay()), token: token)
  }

  func removeReceiver(_ name: String) async throws -> [ReceiverListing] {
    guard try await store.removeReceiver(name, at: context.wall()) else {
      throw LocalAPIError(.unknownItem, "There is no receiver of that name: `latchkey receivers` lists them.")
    }
    context.bridges.forget(name)
    // Its stream ends at the next change.
    context.feed.post(ChangeEvent(.notice))
    return try await receivers()
  }

  func report(_ state: ReceiverState, of name: String) async throws -> ReceiverState {
    try checkOwn(name)
    guard try await store.receivers().contains(where: { $0.name == name }) else {
      throw LocalAPIError(.unknownItem, "There is no receiver of that name: `latchkey receivers` lists them.")
    }
    context.bridges.note(state.fault, of: name, at: context.wall())
    return state
  }

  /// Refuses a receiver that means another one.
  func checkOwn(_ name: String) throws(LocalAPIError) {
    if let receiver = caller.receiver, receiver.name != name { throw ControlFailure.notForReceivers.error }
  }

  /// Refuses what a receiver may not do; counts what it gives before that is given, and says in the
  /// audit who did it.
  ///
  /// Does nothing for other callers.
  func permit(_ right: ReceiverRight, _ deed: String, giving gift: ReceiverGift = ReceiverGift()) async throws {
    guard let receiver = caller.receiver else { return }
    guard receiver.rights.contains(right) else { throw ControlFailure.notForReceivers.error }
    let day = try await receiversDay()
    let left = try await store.charge(gift, to: receiver, on: day.description, deed, at: context.wall())
    if let left {
      let sentence =
        gift.minutes > 0
        ? "“\(receiver.name)” may give \(receiver.most.minutes) min a day, and \(max(0, left.minutes)) min are left today: "
          + "give the time with `latchkey grant`, or a higher --at-most to `latchkey receivers add`."
        : "“\(receiver.name)” may give \(receiver.most.milliPoints / 1_000) points a day, and "
          + "\(max(0, left.milliPoints) / 1_000) are left today: give them with `latchkey points`, or a higher "
          + "--at-most-points to `latchkey receivers add`."
      throw LocalAPIError(.limit, sentence)
    }
    context.logger.notice("a receiver acts", metadata: ["receiver": "\(receiver.name)", "deed": "\(deed)"])
  }

  /// Returns the family's day, by which a receiver's most counts.
  private func receiversDay() async throws -> FamilyDay {
    let rules = RuleSet.read(try await household().rules(of: nil), child: nil).rules
    return context.time.moment(rules.boundary).day
  }
}

extension NodeService {
  /// Returns the receiver whose token a bridge gives, as `Bearer TOKEN`; `nil` for none.
  func receiver(authorized header: String?) async -> StoredReceiver? {
    let scheme = "Bearer "
    guard let header, header.hasPrefix(scheme) else { return nil }
    let digest = SHA256.hash(Array(header.dropFirst(scheme.count).utf8))
    do { return try await context.store.receiver(token: digest) } catch { return nil }
  }
}
