import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules

/// The facts about children that a machine holds, in place of the real store's tables.
package struct ModelFacts: Sendable {
  package struct Held: Sendable {
    package var identity: String
    package var author: DeviceID
    package var fact: Fact
    /// The position in the order of arrival.
    package var number: Int
  }

  private var kinds: [ChildID: [FactKind: [Held]]] = [:]
  /// The ledgers of the entries, kept since a seed would spend its time on parsing texts.
  package private(set) var ledgers: [ChildID: Ledger] = [:]
  /// The answers that a deliberate fault has forgotten.
  ///
  /// They are not taken again; otherwise two machines would send each other both answers for ever.
  private var forgotten: Set<Fact> = []
  /// The number of the last fact.
  package private(set) var last = 0

  package init() {}

  /// The children about whom facts are held.
  package var children: [ChildID] { kinds.filter { !$0.value.values.allSatisfy(\.isEmpty) }.keys.sorted() }

  /// Returns the facts of a kind about a child in their order of arrival.
  package func facts(_ kind: FactKind, of child: ChildID) -> [Fact] { kinds[child]?[kind]?.map(\.fact) ?? [] }

  /// Returns all facts about a child in their order of arrival, beginning with those of one author.
  package func facts(of child: ChildID, for device: DeviceID? = nil) -> [Fact] {
    let all = (kinds[child] ?? [:]).values.joined().sorted { $0.number < $1.number }
    return (all.filter { $0.author == device } + all.filter { $0.author != device }).map(\.fact)
  }

  /// Returns the facts about a child that a machine made, in their order of arrival.
  package func made(by device: DeviceID, about child: ChildID) -> [Fact] {
    (kinds[child] ?? [:]).values.joined().filter { $0.author == device }.sorted { $0.number < $1.number }.map(\.fact)
  }

  /// Returns whether a fact would be stored if it arrived.
  package func isNews(_ fact: Fact) -> Bool {
    guard let definition = FactRegistry.household.definition(fact.kind), let reading = definition.read(fact.text) else {
      return false
    }
    let held = kinds[fact.child]?[fact.kind]?.first { $0.identity == reading.identity }?.fact
    return held.map { $0 != fact && definition.isKept(fact.text, $0.text) } ?? true
  }

  /// Returns the facts that arrived after the fact with that number.
  package func facts(after number: Int) -> [Held] {
    kinds.values.flatMap { $0.values.joined().filter { $0.number > number } }.sorted { $0.number < $1.number }
  }

  /// Stores a fact, unless it or a preferred one with the same identity is held; returns whether it
  /// is new.
  mutating func keep(_ fact: Fact, _ reading: FactReading, _ definition: FactDefinition) throws(BodyFault) -> Bool {
    guard !forgotten.contains(fact) else { return false }
    let held = kinds[fact.child]?[fact.kind] ?? []
    if let place = held.firstIndex(where: { $0.identity == reading.identity }) {
      guard held[place].fact != fact, definition.isKept(fact.text, held[place].fact.text) else { return false }
      kinds[fact.child]?[fact.kind]?.remove(at: place)
    } else if held.count >= definition.most {
      throw BodyFault("There is no room for more facts of the kind \(fact.kind).", .noRoom)
    }
    last += 1
    kinds[fact.child, default: [:]][fact.kind, default: []].append(
      Held(identity: reading.identity, author: reading.author, fact: fact, number: last))
    if fact.kind == .ledger, let entry = LedgerEntry(fact.text) { ledgers[fact.child, default: Ledger()].merge(entry) }
    return true
  }

  mutating func forget(_ child: ChildID) {
    kinds[child] = nil
    ledgers[child] = nil
  }

  /// Forgets the answers of other parents to the same request; only a deliberate fault calls this.
  mutating func forgetOthers(than answer: Fact) {
    guard let present = RequestAnswer(answer.text) else { return }
    let others = (kinds[answer.child]?[.answer] ?? []).map(\.fact).filter {
      $0 != answer && RequestAnswer($0.text)?.request == present.request
    }
    forgotten.formUnion(others)
    kinds[answer.child]?[.answer]?.removeAll { others.contains($0.fact) }
  }
}
