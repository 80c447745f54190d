/// Says why the loop cannot run.
enum LoopError: Error, Hashable {
  /// The process may open no more descriptors.
  case noDescriptors

  /// There is no memory for the loop or its thread.
  case noMemory

  /// The system refuses to wait for events.
  case broken
}
