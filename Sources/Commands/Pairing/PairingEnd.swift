import LatchkeyModel

/// How a pairing ended, as told to the person and to scripts.
struct PairingEnd: Sendable {
  let progress: PairingProgress
  let side: PairingSide

  /// Say it on standard error.
  ///
  /// - Throws: `CommandFailure` for every outcome but `ok`.
  func tell(_ console: any Console) throws(CommandFailure) {
    guard let outcome = progress.outcome else {
      throw CommandFailure(.internalFault, "The pairing ended without an outcome: look at what `latchkey run` prints.")
    }
    guard outcome == .ok else {
      throw CommandFailure(ExitStatus(outcome), ShownText.safe(progress.sentence ?? outcome.sentence))
    }
    let name = ShownText.quoted(progress.device?.name ?? progress.peerName ?? DeviceName(sanitising: ""))
    switch (side, progress.device?.role ?? progress.peerRole) {
    case (.inviter, .parent?):
      console.note("Paired with \(name). Next: look at `latchkey status`.")
    case (.inviter, _):
      console.note("Paired with \(name). Next: set a rule, such as `latchkey app set APP-ID --on \(name) --blocked`.")
    case (.joiner, _):
      console.note("Paired with \(name). Next: leave `latchkey run` running; `latchkey status` shows how it stands.")
    }
  }
}
