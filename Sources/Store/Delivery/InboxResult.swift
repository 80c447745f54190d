import LatchkeyModel

/// The effects of received items, which the caller publishes once they are committed.
///
/// A transaction collects them. A full disk may divide the items into several transactions, whose
/// results are added up.
public struct InboxResult: Equatable, Sendable {
  /// The outgoing streams to which items were added: receipts, refusals, new keys, registers, or
  /// lists of parents.
  public var changes: [OutboxChange] = []
  /// The commands of this device whose status has changed.
  public var commands: [CommandID] = []
  /// A sentence for each item that was ignored because its content is invalid.
  ///
  /// A receipt or a refusal reports it to the sender.
  public var faults: [String] = []
  /// A Boolean value that indicates whether the sender removed this device.
  public var wasRemoved = false
  /// A Boolean value that indicates whether the sender's new keys confirmed that it has completed
  /// the pairing.
  public var hasCompletedPairing = false
  /// A Boolean value that indicates whether the sender gave this device new keys.
  public var hasNewKeys = false
  public var usageRecords = 0
  /// The number of commands that were processed, whatever their outcome.
  public var appliedCommands = 0
  /// A Boolean value that indicates whether there are effects to carry out outside the database.
  public var hasPendingEffects = false
  /// A Boolean value that indicates whether the sender, a child's machine, sent registers or
  /// accounts, whether or not they are new.
  public var hasNewHousehold = false
  /// A Boolean value that indicates whether something is known of use that was not known before.
  public var hasNewUse = false

  /// Facts that were new, or that a command has made.
  public var newFacts: [Fact] = []
  /// Other parents that the sender, a child's machine, reported for the first time.
  public var newParents: [PairedParent] = []

  /// The reason why not all items were stored; the effects of the items in `taken` are committed
  /// nevertheless.
  public var fault: StoreError?
  /// If `fault` is set, the items that were stored.
  public var taken: [ItemRun] = []

  /// Adds the result of a later transaction, except `fault` and `taken`.
  mutating func add(_ later: InboxResult) {
    changes += later.changes
    commands += later.commands
    faults += later.faults
    wasRemoved = wasRemoved || later.wasRemoved
    hasCompletedPairing = hasCompletedPairing || later.hasCompletedPairing
    hasNewKeys = hasNewKeys || later.hasNewKeys
    usageRecords += later.usageRecords
    appliedCommands += later.appliedCommands
    newParents += later.newParents
    newFacts += later.newFacts
    hasNewHousehold = hasNewHousehold || later.hasNewHousehold
    hasNewUse = hasNewUse || later.hasNewUse
    hasPendingEffects = hasPendingEffects || later.hasPendingEffects
  }
}
