import Foundation
import GRDB
import LatchkeyModel
import Synchronization

/// The receipt of facts. Spec: Protocol/12-facts.md §5.
extension InboxTransaction {
  /// Keeps the facts that this machine may take, and queues those that are new to it for the others
  /// who hold them.
  mutating func applyFacts(_ item: DeliveryItem, _ body: Result<[Fact], BodyFault>) throws {
    do {
      var news: [Fact] = []
      var fault: BodyFault?
      var counts: [FactCache.Place: Int64] = [:]
      for fact in try body.get() {
        do { if try take(fact, &counts) { news.append(fact) } } catch let found as BodyFault { fault = fault ?? found }
      }
      result.newFacts += news
      for fact in news where peerRole == .child {
        guard let definition = coding.factKinds.definition(fact.kind), definition.isAsked,
          let id = definition.read(fact.text).flatMap({ Hexadecimal.decode($0.identity) }),
          let request = CommandID(bytes: id)
        else { continue }
        try database.tell(.asked(request, by: fact.child), age: age, at: wall)
      }
      result.changes += try database.relay(news, from: peer.device, store, at: wall)
      if let fault { throw fault }
    } catch let fault as BodyFault { passOver(item, .control, fault) }
  }

  /// Queues the facts that an effect has made, and those of which a device becomes a holder.
  mutating func tellFacts(_ effects: DatabaseEffects) throws {
    guard !effects.newFacts.isEmpty || !effects.reminders.isEmpty || !effects.offers.isEmpty else { return }
    // Control streams change in the database itself.
    try group.settle(database)
    result.newFacts += effects.newFacts
    result.changes += try database.relay(effects.newFacts, from: nil, reminding: effects.reminders, store, at: wall)
    for offer in effects.offers {
      if peerRole == .parent { try recallFacts(of: offer.child) }
      result.changes += try database.offerFacts(of: offer.child, to: offer.device, store, at: wall)
    }
  }

  /// Queues all facts for the sender, whose control stream has restarted.
  ///
  /// It may have been restored to a state from before it made some of them, which no other machine
  /// sends it. Without them, it could spend again what it has spent, and not withdraw what it said.
  mutating func returnFacts() throws {
    try group.settle(database)
    result.changes += try database.returnFacts(to: peer, store, at: wall)
  }

  /// Keeps the facts about a child again that this machine has forgotten and no other machine has
  /// stored yet.
  ///
  /// The parent tells what it knows when it hears that the machine is the child's, which may be
  /// before these arrive there.
  private func recallFacts(of child: ChildID) throws {
    let bodies = try database.rows(
      "SELECT body FROM outbox_item WHERE class = \(ItemNumber.control) AND kind = ? ORDER BY peer, seq",
      [ItemKind.facts.rawValue]
    ).map { $0.bytes("body") }
    var counts: [FactCache.Place: Int64] = [:]
    for fact in try bodies.flatMap({ try coding.facts($0) }) where fact.child == child {
      guard let definition = coding.factKinds.definition(fact.kind), let reading = definition.read(fact.text)
      else { continue }
      do { _ = try database.keep(fact, reading, definition, &counts) } catch is BodyFault { continue }
    }
  }

  /// Keeps a fact, and returns whether it is new; throws `BodyFault`, the sender's fault, if it
  /// cannot be taken.
  private func take(_ fact: Fact, _ counts: inout [FactCache.Place: Int64]) throws -> Bool {
    let isParent = peerRole == .child
    // What a machine wrote before it heard that it lost the child still counts: there is no copy.
    let isChilds = isParent ? try database.hasServed(peer.device, fact.child) : try database.serves(own, fact.child)
    guard isChilds else { throw BodyFault("The facts are about a child whose machine that is not.", .foreign) }
    guard let definition = coding.factKinds.definition(fact.kind)
    else { throw BodyFault("A fact of the kind \(fact.kind) is not known here.", .unknownKind) }
    guard let reading = definition.read(fact.text)
    else { throw BodyFault("A fact of the kind \(fact.kind) cannot be read.") }
    if let role = try role(of: reading.author, isParent: isParent), let author = definition.author, role != author {
      throw BodyFault("A fact of the kind \(fact.kind) is not a \(role.rawValue)'s to make.", .role)
    }
    return try database.keep(fact, reading, definition, &counts)
  }

  /// Returns the role of the author of a fact; `nil` for a machine that this one does not know.
  private func role(of author: DeviceID, isParent: Bool) throws -> DeviceRole? {
    if author == own { return isParent ? .parent : .child }
    if author == peer.device { return peerRole }
    return try database.row("SELECT role FROM peer WHERE device_id = ?", [Data(author.bytes)]).flatMap {
      DeviceRole(rawValue: $0["role"])
    }
  }
}

/// Values of committed facts, so that a long ledger is not read again for each session.
///
/// Facts only add up: the value of earlier ones and the later facts give the value of all.
final class FactCache: Sendable {
  struct Place: Hashable {
    var child: ChildID
    var kind: FactKind
  }

  struct Entry: Sendable {
    /// The number of the last fact that the value includes.
    var last: Int64
    var count: Int64
    var value: any Sendable
  }

  private let entries = Mutex<[Place: Entry]>([:])

  subscript(place: Place) -> Entry? {
    get { entries.withLock { $0[place] } }
    set { entries.withLock { $0[place] = newValue } }
  }
}
