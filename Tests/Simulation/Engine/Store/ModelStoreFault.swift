/// Why a transaction of the model was refused; the real store's errors by the same names.
package enum ModelStoreFault: Error, Hashable, Sendable {
  case queueFull
  case noSuchPeer
  case unexpected(String)
  /// The disk refused; nothing was kept.
  case diskFull

  /// Whether it is the disk that is at fault, and not what was asked for.
  package var isOfDisk: Bool { self == .diskFull }
}
