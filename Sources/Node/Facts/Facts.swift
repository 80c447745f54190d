import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore

extension NodeContext {
  /// Makes facts, edits and commands durable in one transaction, and sends them to their machines.
  ///
  /// Spec: Protocol/12-facts.md §5.
  func act<Value: Sendable>(
    _ directory: LinkDirectory,
    _ make: @escaping @Sendable (inout DatabaseEffects, ClockReader) throws -> (Value, ActOrders)
  ) async throws(StoreError) -> FactResult<Value> {
    let result = try await store.act(editMaker, at: wall(), make: make)
    guard result.hasEdits || !result.changes.isEmpty || !result.facts.isEmpty else { return result }
    CrashPoint.itemAccepted.reached()
    await publish(result.changes, result.commands, isEdit: result.hasEdits, directory)
    if !result.facts.isEmpty || !result.hasEdits { factNews.notify() }
    return result
  }

  /// Sends what is durable now, and wakes everybody who waits for it.
  func publish(
    _ changes: [OutboxChange], _ commands: [ConfigurationCommand], isEdit: Bool, _ directory: LinkDirectory
  ) async {
    await directory.committed(changes)
    self.changes.notify()
    if isEdit { householdNews.notify() }
    if commands.contains(where: { $0.expiresAfter != nil }) { expiryChanges.notify() }
  }
}

/// The names of machines of the household, also of those with which this one is not paired.
struct FactNames: Sendable {
  private var names: [DeviceID: DeviceName]

  static func load(_ context: NodeContext) async throws(StoreError) -> FactNames {
    let known = try await context.store.peersAndOtherParents()
    return FactNames(known.peers, known.otherParents, own: context)
  }

  /// Creates the names; those of this node's devices precede what other machines say.
  init(_ peers: [PeerRecord], _ otherParents: [DeviceID: [OtherParent]], own context: NodeContext) {
    names = [:]
    for told in otherParents.values.joined() { names[told.parent.deviceID] = told.parent.name }
    for peer in peers { names[peer.device.deviceID] = peer.device.name }
    names[context.own] = context.name
  }

  subscript(device: DeviceID) -> DeviceName { names[device] ?? DeviceName(sanitising: "another machine") }
}

/// Beginnings of IDs, as people read and type them.
struct ShortIDs: Sendable {
  private let all: Set<String>

  init(_ ids: some Sequence<[UInt8]>) { all = Set(ids.map { Hexadecimal.encode($0) }) }

  /// Returns the shortest beginning that fits no other ID, at least 4 characters.
  func short(_ id: [UInt8]) -> String {
    let text = Hexadecimal.encode(id)
    for count in 4..<max(5, text.count) {
      let beginning = text.prefix(count)
      if all.count(where: { $0.hasPrefix(beginning) }) <= 1 { return String(beginning) }
    }
    return text
  }

  /// Returns the ID of which a person typed a beginning; `noun` is what it is of, and `listing` the
  /// command that lists them.
  ///
  /// It is the caller's fault if none or several fit.
  func find(_ typed: String, _ noun: String, listing: String) throws(LocalAPIError) -> [UInt8] {
    let word = typed.lowercased().filter { $0 != "-" }
    let found = all.filter { $0.hasPrefix(word) }
    if found.count == 1, let id = found.first.flatMap({ Hexadecimal.decode($0) }) { return id }
    let shown = DeviceName(sanitising: typed)
    guard found.isEmpty else {
      throw LocalAPIError(.invalid, "“\(shown)” fits \(found.count) \(noun)s: give more of its ID.")
    }
    let near = Spelling.question(for: String(word.prefix(8)), among: all.sorted().map { short($0) })
    throw LocalAPIError(
      .unknownItem, "There is no \(noun) “\(shown)”" + (near.isEmpty ? ": `\(listing)` lists them." : ". \(near)"))
  }

  private func short(_ text: String) -> String { Hexadecimal.decode(text).map { short($0) } ?? text }
}

extension Array {
  /// Returns the only element, where a person named none; throws `none` if there is no element, and
  /// otherwise asks with `several`, which has a place for the `count`.
  func only(orNone none: Phrase, orSeveral several: Phrase) throws(LocalAPIError) -> Element {
    guard let first else { throw LocalAPIError(.unknownItem, phrase: none) }
    guard count == 1 else { throw LocalAPIError(.invalid, phrase: several) }
    return first
  }
}

extension NodeContext {
  func moment(_ rules: RuleSet) -> FamilyMoment {
    let moment = time.moment(rules.boundary)
    return FamilyMoment(day: moment.day, at: min(max(moment.time, 0), HybridTimestamp.wallLimit - 1))
  }
}
