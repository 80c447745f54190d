/// How a process ended.
enum ProcessEnd: Hashable, Sendable {
  /// By itself, with a status.
  case exited(Int32)
  /// By a signal.
  case signalled(Int32)
}
