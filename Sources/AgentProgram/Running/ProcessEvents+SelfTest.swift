import LatchkeySystem

extension ProcessEvents {
  /// The time within which the event of the agent's own probe must come, in milliseconds.
  private static let probeMilliseconds: Int32 = 2_000

  /// Returns the kernel's events; `nil` if no event reports the start of a program that this
  /// function starts.
  ///
  /// Spec: Protocol/13-agent.md §10.
  static func tested() -> ProcessEvents? {
    guard let events = ProcessEvents(), events.deliver(ProgramSpawn.probe, within: probeMilliseconds) else {
      return nil
    }
    return events
  }
}
