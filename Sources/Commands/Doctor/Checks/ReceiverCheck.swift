import LatchkeyModel

/// The check of what carries notices to phones and home automation.
///
/// Spec: Protocol/14-bridge.md §1.
struct ReceiverCheck: Check {
  func findings(_ facts: Facts) -> [Finding] {
    facts.receivers.compactMap { receiver in
      guard receiver.isRunning else {
        return Finding(
          "receiver-not-running", .warning,
          "The bridge of the receiver “\(receiver.name)” does not run, so that it is told nothing.",
          next:
            "Start it with `systemctl --user enable --now latchkey-bridge@\(receiver.name)`, or remove it with "
            + "`latchkey receivers remove \(receiver.name)`.")
      }
      guard let fault = receiver.fault else { return nil }
      let since = receiver.faultSince.map { " for \(SpanText.of(max(0, facts.clock.now - $0)))" } ?? ""
      return Finding(
        "receiver-fault", .warning,
        "Something has been wrong with the receiver “\(receiver.name)”\(since): \(fault)",
        next: "`latchkey receivers` shows when it works again; nothing that still matters is lost until then.")
    }
  }
}
