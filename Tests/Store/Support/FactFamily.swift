import Foundation
import LatchkeyHousehold
import LatchkeyModel
import LatchkeyRules
import LatchkeyStore
import LatchkeyTestSupport
import Synchronization

/// The stores of a family's machines, between which tests pass items one by one.
final class FactFamily {
  /// A stream from one machine to another.
  private struct Link: Hashable {
    var from: Int
    var to: Int
    var streamClass: StreamClass
  }

  /// A source of IDs in ascending order.
  private final class Numbers: Sendable {
    private let last = Mutex<Int64>(0)

    func next() -> CommandID {
      let number = last.withLock {
        $0 += 1
        return $0
      }
      return CommandID(milliseconds: number, random: [UInt8](repeating: 1, count: 10))
    }
  }

  private(set) var machines: [TestStore] = []
  private var roles: [DeviceRole] = []
  private var positions: [Link: StreamPosition] = [:]
  private let numbers = Numbers()
  let emma, tom: ChildID
  /// The bodies that were delivered to each machine.
  private(set) var delivered: [Int: [DeliveryItem]] = [:]

  init(_ random: inout SeededRandom) {
    guard let emma = ChildID(bytes: random.bytes(16)), let tom = ChildID(bytes: random.bytes(16)) else {
      preconditionFailure("16 bytes are an ID")
    }
    (self.emma, self.tom) = (emma, tom)
  }

  /// Adds a machine; returns its number.
  func add(_ role: DeviceRole) throws -> Int {
    machines.append(try TestStore(own: Fixed.device(UInt8(machines.count + 1))))
    roles.append(role)
    return machines.count - 1
  }

  subscript(_ machine: Int) -> Store { machines[machine].store }
  func device(_ machine: Int) -> DeviceID { machines[machine].own }

  func pair(_ one: Int, _ two: Int) async throws {
    try await machines[one].pair(device(two), role: roles[two])
    try await machines[two].pair(device(one), role: roles[one])
    for (from, to) in [(one, two), (two, one)] {
      for streamClass in StreamClass.allCases { positions[Link(from: from, to: to, streamClass: streamClass)] = nil }
    }
  }

  var maker: EditMaker {
    EditMaker(
      nextID: { [numbers] in numbers.next() }, payload: { CommandPayload(Edit($0)) },
      children: { HouseholdKey.children(servedIn: $0) })
  }

  func nextID() -> CommandID { numbers.next() }

  func source() -> RecordID {
    guard let id = RecordID(bytes: nextID().bytes) else { preconditionFailure("16 bytes are an ID") }
    return id
  }

  /// Assigns a machine to a child at a parent; a `value` of `nil` ends the assignment.
  func serve(_ parent: Int, _ machine: Int, _ child: ChildID, value: String? = HouseholdKey.yes) async throws {
    _ = try await self[parent].edit(
      [RegisterChange(.machine(device(machine)), HouseholdKey.child(child), value)], maker, at: 10)
  }

  /// Changes a child's purse on a machine, and returns the entry.
  @discardableResult
  func act(
    _ machine: Int, _ child: ChildID? = nil, _ act: @escaping @Sendable (inout Purse) throws -> LedgerEntry?
  ) async throws -> LedgerEntry? {
    let child = child ?? emma
    return try await self[machine].act(maker, at: 20) { effects, _ -> (LedgerEntry?, ActOrders) in
      var purse = try effects.purse(of: child)
      let entry = try act(&purse)
      if let entry { try effects.add(entry, of: child) }
      return (entry, .none)
    }.value
  }

  func facts(_ machine: Int, _ child: ChildID? = nil) async throws -> Set<Fact> {
    Set(try await self[machine].facts(FactRegistry.household.kinds.map(\.kind), of: child ?? emma))
  }

  func ledger(_ machine: Int) async throws -> Ledger {
    Ledger(try await self[machine].facts([.ledger], of: emma).compactMap { LedgerEntry($0.text) })
  }

  /// Passes at most so many items of one stream, and returns their number.
  @discardableResult
  func carry(
    from: Int, to: Int, _ streamClass: StreamClass, items: Int = 10_000
  ) async throws -> Int {
    guard let outbox = try await self[from].outboxPositions(device(to))[streamClass] else { return 0 }
    let link = Link(from: from, to: to, streamClass: streamClass)
    var position = positions[link] ?? StreamPosition(streamClass: streamClass, epoch: outbox.epoch, through: 0)
    if position.epoch != outbox.epoch {
      position = StreamPosition(streamClass: streamClass, epoch: outbox.epoch, through: 0)
    }
    guard position.through < outbox.last else { return 0 }
    let loaded = try await self[from].load(
      device(to), streamClass, epoch: outbox.epoch, from: position.through + 1, items: items, bytes: 1 << 24)
    guard let last = loaded.last else { return 0 }
    delivered[to, default: []] += loaded
    _ = try await self[to].receive(
      [ItemRun(streamClass: streamClass, epoch: outbox.epoch, items: loaded)], from: device(from), role: roles[from],
      enforcement: .recorded, at: 30)
    position.through = last.skipThrough
    positions[link] = position
    // The sender deletes what is in force there, as after an acknowledgement.
    _ = try await self[from].forget(device(to), position, at: 30)
    return loaded.count
  }

  /// The paired machines in both directions.
  private func links() async throws -> [Link] {
    var links: [Link] = []
    for from in machines.indices {
      for peer in try await self[from].peers() where peer.state == .active {
        guard let to = machines.firstIndex(where: { $0.own == peer.device.deviceID }) else { continue }
        for streamClass in [StreamClass.control, .command, .receipt] {
          links.append(Link(from: from, to: to, streamClass: streamClass))
        }
      }
    }
    return links
  }

  /// Passes some items of random streams.
  func carrySome(_ times: Int, _ random: inout SeededRandom) async throws {
    let links = try await links()
    for _ in 0..<times {
      let link = random.pick(links)
      try await carry(from: link.from, to: link.to, link.streamClass, items: 1 + random.below(3))
    }
  }

  /// Passes items until none is under way.
  func settle() async throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      for link in try await links() {
        while try await carry(from: link.from, to: link.to, link.streamClass) > 0 { isMoving = true }
      }
    }
  }
}
