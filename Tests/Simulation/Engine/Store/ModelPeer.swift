import LatchkeyModel

/// The stored data of one peer: its row, and its streams in both directions.
package struct ModelPeer: Sendable {
  package typealias State = PeerStanding.State

  package struct Outgoing: Sendable {
    package var epoch: UInt64
    package var last: UInt64 = 0
    package var storedThrough: UInt64 = 0
    package var waitingItems: Int64 = 0
    package var waitingBytes: Int64 = 0
    /// For usage: the greatest number that was ever given to a session.
    package var sentBound: UInt64 = 0
    /// The last number of the items that a restart queued again.
    package var restartBound: UInt64 = 0
    package var storedItem: UInt64 = 0
    package var storedItemID: [UInt8] = []
    /// The items in the order of their numbers; a number without an item is empty.
    package var items: [ModelItem] = []
    /// For the oracle: a Boolean value that indicates whether the stream was restarted, which may
    /// exceed the cap.
    package var wasRestarted = false
  }

  package struct Incoming: Sendable {
    package var epoch: UInt64
    package var watermark: UInt64
    package var item: UInt64 = 0
    package var itemID: [UInt8] = []
  }

  package let device: DeviceID
  package var role: DeviceRole
  package var state = State.pending
  package var keys = PairwiseKeys(present: [UInt8](repeating: 0, count: 32))
  package var pendingKey: [UInt8]?
  package var isQuarantined = false
  package var removalSessions = 0
  package var removalSilences = 0
  package var knownGeneration: Int64 = 0
  package var sentGeneration: Int64?
  /// The time at which the pairing with a parent ended, by the wall clock and by the age clock.
  package var left: (at: Int64, age: Int64)?
  package var outgoing: [StreamClass: Outgoing] = [:]
  package var incoming: [StreamClass: Incoming] = [:]
  /// The successive epochs of the command stream, from its first restart on.
  package var commandEpochs: [UInt64] = []
  /// The numbers of refused items of this peer, and of items of this device that the peer has
  /// refused, with their IDs.
  package var refusedHere: Int64 = 0
  package var refusedThere: Int64 = 0
  package var refusedItems: [RefusedItem] = []
  package var tallies: [StreamClass: [DeliveryFate: Int64]] = [:]
  /// On a child: its sessions that were merged into totals for this parent, and the totals.
  package var merged: Set<RecordID> = []
  package var totals: [RecordID: ModelTotal] = [:]
  /// For the oracle: usage for which there was no room at all.
  package var refused: Set<RecordID> = []
  /// For the oracle: the number of pairings of the two devices.
  package var pairing = 0
  /// The time of the latest pairing.
  package var pairedAt: Int64 = 1

  init(device: DeviceID, role: DeviceRole) {
    self.device = device
    self.role = role
  }

  /// The standing that decides about sessions with the peer.
  package var standing: PeerStanding {
    PeerStanding(
      state: state, keys: keys, pendingKey: pendingKey, isQuarantined: isQuarantined, removalSessions: removalSessions,
      removalSilences: removalSilences)
  }

  package var sessionKey: [UInt8]? { standing.sessionKey }
  package var callingKeys: [[UInt8]] { standing.callingKeys }

  /// The outgoing streams, most urgent first.
  package var sending: [(streamClass: StreamClass, stream: Outgoing)] {
    StreamClass.allCases.compactMap { streamClass in outgoing[streamClass].map { (streamClass, $0) } }
  }
}

/// A queued item.
package struct ModelItem: Hashable, Sendable {
  package var sequence: UInt64
  package var kind: ItemKind
  package var itemID: [UInt8]
  package var body: [UInt8]
  package var level: Int64

  var cost: Int64 { Int64(body.count + itemID.count + 16) }
}

/// A total of several sessions of use.
package struct ModelTotal: Hashable, Sendable {
  package var level: Int64
  package var body: [UInt8]
}
