import LatchkeyModel

extension Latchkey_V1_Timestamp {
  package init(_ timestamp: HybridTimestamp) {
    self.init()
    wall = timestamp.wall
    counter = timestamp.counter
    author = WireBytes(timestamp.author.bytes)
  }

  package func value() throws(WireError) -> HybridTimestamp {
    guard let author = DeviceID(bytes: author) else { throw WireError("an author that is no device ID") }
    guard HybridTimestamp.walls.contains(wall) else { throw WireError("a time of a change that no calendar has") }
    return HybridTimestamp(wall: wall, counter: counter, author: author)
  }
}

extension AppCategory {
  package var wire: UInt32 {
    switch self {
    case .learning: 1
    case .reward: 2
    case .neutral: 3
    }
  }

  package init(wire: UInt32) throws(WireError) {
    switch wire {
    case 1: self = .learning
    case 2: self = .reward
    case 3: self = .neutral
    default: throw WireError("category \(wire)")
    }
  }
}

extension Enforcement {
  package var wire: UInt32 {
    switch self {
    case .recorded: 1
    case .enforced: 2
    case .ownPrograms: 3
    }
  }

  package init(wire: UInt32) throws(WireError) {
    switch wire {
    case 1: self = .recorded
    case 2: self = .enforced
    case 3: self = .ownPrograms
    default: throw WireError("enforcement \(wire)")
    }
  }
}
