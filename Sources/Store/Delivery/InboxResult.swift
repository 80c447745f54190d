import LatchkeyModel

/// The effects of a commit of received items, to be made visible now that it is durable.
public struct InboxResult: Hashable, Sendable {
  /// Streams that got receipts, or new keys because the sender has left.
  public var changes: [OutboxChange] = []
  /// Commands of ours whose status changed.
  public var commands: [CommandID] = []
  /// Items whose content could not be used, one sentence each; they are reported to the sender where a receipt can.
  public var faults: [String] = []
  /// A Boolean value that indicates whether the sender removed this device.
  public var wasRemoved = false
  /// A Boolean value that indicates whether the sender's new keys proved that the pairing is final.
  public var hasCompletedPairing = false
  /// A Boolean value that indicates whether the sender gave this device new keys.
  public var hasNewKeys = false
  /// Usage records that were new.
  public var usageRecords = 0
  /// Commands that took effect now, or are under way.
  public var appliedCommands = 0
  /// A Boolean value that indicates whether there are effects to carry out outside the database.
  public var hasPendingEffects = false
  /// A Boolean value that indicates whether the sender, a child's machine, told of registers or accounts.
  public var hasNewHousehold = false
  /// A Boolean value that indicates whether something is known of use that was not known before.
  public var hasNewUse = false

  /// Facts that were new, or that a command has made.
  public var newFacts: [Fact] = []
  /// The other parents of the sender, a child's machine, that it reported for the first time.
  public var newParents: [PairedParent] = []

  /// The reason why not all items were stored; the effects above are in force nevertheless.
  public var fault: StoreError?
  /// The items that were taken, if there is a fault.
  public var taken: [ItemRun] = []

  /// Adds what a later commit brought about.
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
