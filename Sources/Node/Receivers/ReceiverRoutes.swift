import LatchkeyModel
import LatchkeyProtocol
import LatchkeyRules
import LatchkeyStore
import Synchronization

/// What carries notices elsewhere, and what a parent allows it.
///
/// Spec: Protocol/14-bridge.md §1.
extension Endpoints {
  static let receiverRoutes: [any ServedEndpoint] = [getReceivers, addReceiver, deleteReceiver, reportReceiver]

  private static let receivers = Route.Place.parent("Receivers are set up on a parent's machine: run this there.")

  package static let getReceivers = Endpoint(
    .get, "/v1/receivers", on: receivers,
    summary: "The receivers that are set up, on a parent: what each may do, has given today, and what is wrong."
  ) { call in try await call.receivers() }

  package static let addReceiver = Endpoint(
    .post, "/v1/receivers", Body.json(NewReceiver.self), on: receivers, created: true, errors: [.limit],
    summary: "Sets up a receiver, on a parent, with a new token; one of the same name is replaced."
  ) { call, receiver in try await call.add(receiver) }

  package static let deleteReceiver = Endpoint(
    .delete, "/v1/receivers/{receiver}", Path.receiver, on: receivers, errors: [.unknownItem],
    summary: "Removes a receiver, on a parent. Its token is worth nothing at once."
  ) { call, receiver in try await call.removeReceiver(receiver) }

  package static let reportReceiver = Endpoint(
    .post, "/v1/receivers/{receiver}/state", Path.receiver, Body.json(ReceiverState.self),
    whoMay: .operatorsAndReceivers, on: receivers, errors: [.unknownItem],
    summary: "Says what is wrong with the server behind a receiver, on a parent."
  ) { call, receiver, state in
    try call.checkOwn(receiver)
    guard try await call.store.receivers().contains(where: { $0.name == receiver }) else { throw Call.noSuchReceiver }
    call.context.bridges.note(state.fault, of: receiver, at: call.context.wall())
    return state
  }
}

extension Call {
  func receivers() async throws -> [ReceiverListing] {
    let day = try await receiversDay()
    var listings: [ReceiverListing] = []
    for receiver in try await store.receivers() { listings.append(try await listing(of: receiver, on: day)) }
    return listings
  }

  private func listing(of receiver: StoredReceiver, on day: FamilyDay) async throws -> ReceiverListing {
    let (given, state) = (try await store.given(by: receiver.name, on: day.description), context.bridges[receiver.name])
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
    // The stream of one that was replaced ends at the next change.
    context.feed.post(ChangeEvent(.notice))
    return AddedReceiver(receiver: try await listing(of: receiver, on: receiversDay()), token: token)
  }

  func removeReceiver(_ name: String) async throws -> [ReceiverListing] {
    guard try await store.removeReceiver(name, at: context.wall()) else { throw Self.noSuchReceiver }
    context.bridges.forget(name)
    // Its stream ends at the next change.
    context.feed.post(ChangeEvent(.notice))
    return try await receivers()
  }

  func checkOwn(_ name: String) throws(LocalAPIError) {
    if let receiver = caller.receiver, receiver.name != name { throw ControlFailure.notForReceivers.error }
  }

  /// Returns what a receiver asks to do, for the transaction to count; `nil` for other callers.
  ///
  /// `words` are for the audit. It throws, as the receiver's fault, without the right.
  func deed(
    _ right: ReceiverRight, _ words: String, giving gift: ReceiverGift = ReceiverGift()
  ) async throws -> ReceiverDeed? {
    guard let receiver = caller.receiver else { return nil }
    guard receiver.rights.contains(right) else { throw ControlFailure.notForReceivers.error }
    return ReceiverDeed(
      receiver.name, right, words, giving: gift, on: try await receiversDay().description, key: caller.key)
  }

  /// Counts a receiver's deed in its transaction, before anything else is written, and logs it.
  ///
  /// A deed that is `nil` is not counted. Returns whether it is to be done: it was not before.
  /// Throws `LocalAPIError`, the receiver's fault, if it may not do that, or not so much.
  func count(_ deed: ReceiverDeed?, _ effects: inout DatabaseEffects) throws -> Bool {
    guard let deed else { return true }
    switch try effects.count(deed) {
    case .counted:
      context.logger.notice("a receiver acts", metadata: ["receiver": "\(deed.receiver)", "deed": "\(deed.words)"])
      return true
    case .repeated: return false
    case .notAllowed: throw ControlFailure.notForReceivers.error
    case .tooMuch(let most, let left):
      let sentence =
        deed.gift.minutes > 0
        ? "“\(deed.receiver)” may give \(most.minutes) min a day, and \(left.minutes) min are left today: give the time "
          + "with `latchkey grant`, or a higher --at-most to `latchkey receivers add`."
        : "“\(deed.receiver)” may give \(most.milliPoints / 1_000) points a day, and \(left.milliPoints / 1_000) are left "
          + "today: give them with `latchkey points`, or a higher --at-most-points to `latchkey receivers add`."
      throw LocalAPIError(.limit, sentence)
    }
  }

  /// Makes changes of registers durable: as a receiver's deed, which is counted in the same
  /// transaction, or as an edit of a person's, once if the request has a key.
  ///
  /// `seen` are registers as the caller has seen them: if one is otherwise by now, it throws.
  /// Returns the commands that carry the changes; `nil` if a request with the same key was carried
  /// out before.
  func edit(
    _ changes: [RegisterChange], seen: [RegisterChange] = [], as deed: ReceiverDeed?
  ) async throws -> [ConfigurationCommand]? {
    let key = caller.key
    guard deed != nil || key != nil || !seen.isEmpty else { return try await edit(changes) }
    if changes.isEmpty { return [] }
    let (isDue, commands, _) = try await act { effects, _ -> (Bool, ActOrders) in
      let wasMade =
        if let deed { try effects.wasDone(deed) } else if let key { try effects.wasMade(key) } else { false }
      // What was made has itself changed what was seen.
      for rule in wasMade ? [] : seen {
        let present = try effects.register(rule.key, in: rule.zone)?.value
        if present != rule.value { throw Self.changed }
      }
      if deed == nil, let key, try !effects.isNew(key) { return (false, .none) }
      guard try count(deed, &effects) else { return (false, .none) }
      return (true, ActOrders(edits: changes))
    }
    return isDue ? commands : nil
  }

  fileprivate static let noSuchReceiver = LocalAPIError(
    .unknownItem, "There is no receiver of that name: `latchkey receivers` lists them.")
  private static let changed = LocalAPIError(
    .tooLate, phrase: "Nothing was saved, because it was changed meanwhile: look at what is set now, and send it again."
  )

  private func receiversDay() async throws -> FamilyDay {
    let rules = RuleSet.read(try await household().rules(of: nil), child: nil).rules
    return context.time.moment(rules.boundary).day
  }
}

extension NodeService {
  func receiver(authorized header: String?) async -> StoredReceiver? {
    guard let digest = Self.digest(ofBearer: header) else { return nil }
    do { return try await context.store.receiver(token: digest) } catch { return nil }
  }

  /// Returns the hash of the secret in a header such as `Bearer TOKEN`; `nil` for another header.
  static func digest(ofBearer header: String?) -> [UInt8]? {
    let scheme = "Bearer "
    guard let header, header.hasPrefix(scheme) else { return nil }
    return SHA256.hash(Array(header.dropFirst(scheme.count).utf8))
  }
}

/// What the bridges of receivers do at present, in memory alone.
final class BridgeBoard: Sendable {
  struct Entry: Hashable {
    /// The streams of changes that it reads.
    var readers = 0
    var fault: String?
    /// Since when, in Unix milliseconds.
    var since: Int64?
  }

  /// What has happened since the node started, at all receivers together.
  struct Counts: Hashable {
    var told = 0
    /// The notices that bridges have given up.
    var dropped = 0
    /// The times that something began to be wrong.
    var faults = 0
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let numbers = Mutex(Counts())

  subscript(receiver: String) -> Entry { entries.withLock { $0[receiver] ?? Entry() } }

  func note(_ fault: String?, of receiver: String, at wall: Int64) {
    entries.withLock { entries in
      var entry = entries[receiver] ?? Entry()
      if (fault == nil) != (entry.fault == nil) { entry.since = fault.map { _ in wall } }
      if entry.fault == nil, fault != nil { numbers.withLock { $0.faults += 1 } }
      entry.fault = fault
      entries[receiver] = entry
    }
  }

  var counts: Counts { numbers.withLock { $0 } }

  /// Notes that a receiver was told some notices, some of which its bridge has given up.
  func told(_ count: Int, dropped: Int) {
    numbers.withLock { numbers in
      numbers.told += max(0, count - dropped)
      numbers.dropped += dropped
    }
  }

  func forget(_ receiver: String) { entries.withLock { $0[receiver] = nil } }

  /// Returns what counts a bridge as running for as long as it is kept.
  func reading(_ receiver: String) -> Reading { Reading(self, receiver) }

  final class Reading: Sendable {
    private let board: BridgeBoard
    private let receiver: String

    fileprivate init(_ board: BridgeBoard, _ receiver: String) {
      (self.board, self.receiver) = (board, receiver)
      board.entries.withLock { $0[receiver, default: Entry()].readers += 1 }
    }

    deinit {
      board.entries.withLock { entries in
        guard var entry = entries[receiver] else { return }
        entry.readers -= 1
        // Without its bridge, nobody knows what is wrong.
        if entry.readers <= 0 { entry = Entry() }
        entries[receiver] = entry
      }
    }
  }
}
