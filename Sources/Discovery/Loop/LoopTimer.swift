/// Waits on a loop until it is due.
final class LoopTimer {
  /// When it is due, as time since boot.
  let deadline: Duration

  /// What to do then.
  let work: () -> Void

  private weak var loop: DiscoveryLoop?

  /// Make a timer; `DiscoveryLoop.schedule` does.
  init(deadline: Duration, loop: DiscoveryLoop, work: @escaping () -> Void) {
    self.deadline = deadline
    self.loop = loop
    self.work = work
  }

  /// Make sure that it never fires.
  func cancel() {
    loop?.cancel(self)
  }
}
