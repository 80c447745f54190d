/// The reason why a transaction of the model was refused, with the names of the real store's
/// errors.
package enum ModelStoreFault: Error, Hashable, Sendable {
  case queueFull
  case noSuchPeer
  case unexpected(String)
  /// The disk refused, and nothing was stored.
  case diskFull

  /// A Boolean value that indicates whether the disk is at fault, and not the request.
  package var isOfDisk: Bool { self == .diskFull }
}
