import LatchkeyModel

/// What a commit of received items brought about, to be made visible now that it is durable.
public struct InboxResult: Hashable, Sendable {
  /// Streams that got receipts, or new keys because the sender has left.
  public var changes: [OutboxChange] = []
  /// Commands of ours whose status changed.
  public var commands: [CommandID] = []
  /// Items whose content could not be used, one sentence each; they are reported to the sender where a receipt can.
  public var faults: [String] = []
  /// Whether the sender removed us.
  public var wasRemoved = false
  /// Whether the sender's new keys proved that a pairing with it is final.
  public var hasCompletedPairing = false
  /// Whether the sender gave us new keys.
  public var hasNewKeys = false
  /// Usage records that were new.
  public var usageRecords = 0
  /// Commands that took effect now, or are under way.
  public var appliedCommands = 0
  /// Whether effects are to be carried out outside the database.
  public var hasPendingEffects = false
  /// A Boolean value that indicates whether the sender, a child's machine, told of registers or accounts.
  public var hasNewHousehold = false

  /// Parents that the sender, a child's machine, is paired with besides this one, and of which it had not told before.
  public var newParents: [PairedParent] = []

  /// Why the rest was not taken, if the disk had room for a part alone: what is told here is in force all the same.
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
    hasNewHousehold = hasNewHousehold || later.hasNewHousehold
    hasPendingEffects = hasPendingEffects || later.hasPendingEffects
  }
}
