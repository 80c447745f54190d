/// The end of a process.
enum ProcessEnd: Hashable, Sendable {
  /// By itself, with a status.
  case exited(Int32)
  /// By a signal.
  case signalled(Int32)
}
