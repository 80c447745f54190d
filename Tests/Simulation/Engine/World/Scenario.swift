import LatchkeyModel
import LatchkeyTestSupport

/// The meaning of a seed: how many nodes there are, what they do, and which disturbances occur.
public struct Scenario: Sendable {
  /// A trouble of a node or the network, or an unusual act of a person.
  enum Trouble: CaseIterable {
    case reset, halfOpen, partition, delay, replay, stall
    case kill, killAtCommit, powerCut, sleep, move, wallJump, slowDisk, fullDisk
    case cancel, remove, pairAnew, backup, wipe, clone
  }

  let seed: UInt64
  /// The number of parents, which are the first nodes.
  var parents = 1
  var children = 1
  /// A Boolean value that indicates whether frames use the real handshake and session machine
  /// instead of plain batches.
  var isSealed = false
  /// The duration of the troubles in milliseconds, before everything is repaired.
  var length: Int64 = 300_000
  var work = 30
  var troubles: [Trouble] = []
  /// The mean time between two troubles, in milliseconds.
  var pause: Int64 = 8_000
  var caps = QueueCaps(items: 10_000, bytes: 10_000_000)
  var windowItems: UInt32 = 4_096
  var windowBytes: UInt32 = 4 << 20
  /// The bytes of items in a frame.
  var frameBytes = 60_000
  /// The bytes that may be in flight in a connection before it accepts no more.
  var connectionBytes = 256 << 10
  /// The percentage of acts that are usage rather than commands.
  var usageShare = 50
  /// A Boolean value that indicates whether a long outage precedes the end, so that back-offs are
  /// at their longest.
  var endsWithOutage = false
  /// A Boolean value that indicates whether some commands have effects outside the store.
  var locks = false
  /// A Boolean value that indicates whether parents edit registers, and children earn, spend and
  /// ask.
  var registers = false
  /// The number of machines that may be calling at the same time, as far as each machine knows.
  var crowd = 1

  /// Creates the scenario of a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - nodes: The number of nodes; `nil` for the seed's: usually 2, sometimes 10, rarely up to
  ///     200.
  ///   - fault: A deliberate fault that must show, if it needs simultaneous troubles of certain
  ///     kinds; `nil` for none.
  public init(seed: UInt64, nodes: Int? = nil, showing fault: DeliberateFault? = nil) {
    self.seed = seed
    var random = SeededRandom(seed: seed ^ 0x5EED)
    let size: Int
    switch random.below(1_000) {
    case ..<3: size = 50 + random.below(151)
    case ..<30: size = 10
    case ..<130: size = 3 + random.below(2)
    default: size = 2
    }
    let count = max(2, nodes ?? size)
    parents = count == 3 || count > 4 && random.once(in: 3) ? 1 + random.below(2) : 1
    children = count - parents
    isSealed = count <= 4 && random.once(in: 16)
    length = Int64(60_000 + random.below(540_000))
    work = count > 10 ? 2 * count : 10 + random.below(60)
    // Each seed has a few kinds of trouble, so that none hides the others.
    var kinds = Trouble.allCases.filter { ![.clone, .backup, .wipe, .remove, .pairAnew].contains($0) }
    for _ in 0..<random.below(kinds.count) { kinds.remove(at: random.below(kinds.count)) }
    if random.once(in: 5) { kinds.append(.backup) }
    if random.once(in: 10) { kinds.append(.wipe) }
    if random.once(in: 6) { kinds += [.remove, .pairAnew] }
    if count <= 4, random.once(in: 25) { kinds.append(.clone) }
    troubles = kinds
    pause = Int64(1_500 + random.below(15_000)) * (count > 10 ? 4 : 1)
    if random.once(in: 3) {
      caps = QueueCaps(items: Int64(4 + random.below(30)), bytes: Int64(4_000 + random.below(20_000)))
    }
    if random.once(in: 2) {
      windowItems = UInt32(1 + random.below(8))
      windowBytes = UInt32(100 + random.below(2_000))
    }
    if random.once(in: 3) { frameBytes = 100 + random.below(1_000) }
    if random.once(in: 3) { connectionBytes = 500 + random.below(4_000) }
    usageShare = random.below(101)
    endsWithOutage = random.once(in: 4)
    crowd = random.once(in: 2) ? 1_200 : count
    locks = seed % 4 == 2
    registers = seed % 4 == 1
    // An edit for the family is a command for each machine.
    if registers, count > 10 { work = 20 }
    if let wanted = fault?.troubles { press(wanted) }
    if fault?.isOfEffects == true { locks = true }
    // Points that move between machines need several machines.
    if registers, nodes == nil, count == 2, seed % 16 == 5 { (parents, children) = (2, 2) }
    if fault?.isOfRegisters == true || fault?.isOfFacts == true {
      registers = true
      (parents, children, isSealed) = (2, 2, false)
      work *= 2
      usageShare = fault?.isOfFacts == true ? 50 : min(usageShare, 30)
    }
  }

  /// Selects only these troubles, in quick succession.
  private mutating func press(_ wanted: [Trouble]) {
    troubles = wanted
    pause = min(pause, 3_000)
    work *= 2
  }

  /// A Boolean value that indicates whether a machine is restored, after which the guarantees are
  /// weaker.
  var setsBack: Bool { troubles.contains(.backup) || troubles.contains(.wipe) || troubles.contains(.clone) }
}
