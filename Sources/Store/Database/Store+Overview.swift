import GRDB
import LatchkeyModel

/// The part of a node's state that its database holds, read at one moment.
public struct StoreOverview: Sendable {
  /// All paired devices, including removed ones.
  public var peers: [PeerRecord]
  /// At most 20 devices that are no longer peers and whose queues left undelivered items, latest
  /// first.
  public var former: [FormerPeer]
  /// The other parents of each child's machine, by its report.
  public var otherParents: [DeviceID: [OtherParent]]
  /// The newest 20 texts that parents sent, newest first.
  public var messages: [ReceivedMessage]
  /// The paired machines that were restored to an earlier state.
  public var setBacks: [SetBack]
  /// The numbers of ignored items of each paired device.
  public var unusableItems: [UnusableItems]
  /// The number of items of this machine that each paired device reports as refused.
  public var refusedInAll: [DeviceID: Int64]
  /// The usage of other devices that was dropped before it reached this one.
  public var losses: [UsageLoss]
  public var renamings: [Store.Renaming]
  /// The number of facts of one kind, by child.
  public var facts: [ChildID: Int]
}

extension Store {
  /// Returns the part of a node's state that its database holds, with one access to it.
  ///
  /// Facts of `kind` are counted.
  public func overview(counting kind: FactKind? = nil) async throws(StoreError) -> StoreOverview {
    let age = age()
    let settling = settlingKinds
    return try await read { database in
      StoreOverview(
        peers: try database.peers(), former: try database.former(), otherParents: try database.otherParents(age: age),
        messages: try database.messages(limit: 20), setBacks: try database.setBacks(settledBy: settling, age: age),
        unusableItems: try database.unusableItems(), refusedInAll: try database.refusedInAll(),
        losses: try database.losses(), renamings: try database.renamings(age: age),
        facts: try kind.map(database.factCounts) ?? [:])
    }
  }
}
