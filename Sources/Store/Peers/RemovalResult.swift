import LatchkeyModel

/// The effects of removing a device, to be made visible once they are durable.
public struct RemovalResult: Hashable, Sendable {
  /// The commands that it had not executed, oldest first.
  public var cancelled: [CommandID] = []
  /// The number of records and receipts that waited for it.
  public var droppedItems = 0
  /// The stream that carries the removal, if the device is to be told.
  public var change: OutboxChange?
  /// The streams of the remaining devices, which got new keys, or word that a parent has left.
  public var rotations: [OutboxChange] = []
}
