/// Whether the state folder is of this machine.
public enum MachineFacts: Sendable, Hashable {
  case same
  /// It was made on another machine, or this one has a new machine ID.
  case other
  /// This machine has no ID, or the folder does not say.
  case unknown
  /// There is no node in the folder, or it cannot be read.
  case unreadable
}
