import LatchkeyModel

/// How a pairing ended, as told to the person and to scripts.
struct PairingEnd: Sendable {
  let progress: PairingProgress
  var refusedHere = false
  /// The digits that the command named, and those that came.
  var expectedDigits: String?
  var shownDigits: String?

  var status: ExitStatus { progress.outcome.map { ExitStatus($0) } ?? .internalFault }

  /// The outcome and the next step.
  var sentence: String {
    switch progress.outcome {
    case nil: "The pairing ended without an outcome: look at what `latchkey run` prints."
    case .ok: paired
    case .refused: refused
    case let outcome?: ShownText.safe(progress.sentence ?? outcome.sentence)
    }
  }

  private var paired: String {
    let paired = progress.pairedPhrase.worded()
    return switch (progress.part, progress.device?.role ?? progress.peerRole) {
    case (.inviter, .parent?): "\(paired) Next: look at `latchkey status`."
    case (.inviter, _):
      "\(paired) Next: set a rule, such as `latchkey limit set --daily 2h`, with --child if there are several."
    case (.joiner, _): "\(paired) Next: leave `latchkey run` running; `latchkey status` shows how it stands."
    }
  }

  private var refused: String {
    if refusedHere, let expectedDigits, let shownDigits {
      return "The digits are \(shownDigits) and not the expected \(expectedDigits), so the other machine was refused: "
        + "look at the digits that it shows, and start again with a new code."
    }
    if let refusal = progress.refusal(isHere: refusedHere) { return refusal.worded() }
    if refusedHere {
      return "You said no: nothing was changed; run `latchkey pair` on both machines when it is the right one."
    }
    return ShownText.safe(progress.sentence ?? PairingOutcome.refused.sentence)
  }

  /// Prints the outcome on standard error, the wizard's in lines that fit the terminal; throws
  /// `TerminalFailure` unless the two machines are paired.
  func tell(_ console: any Console, isWizard: Bool = false) throws(TerminalFailure) {
    guard status == .ok else {
      let isCancelled = isWizard && progress.outcome == .cancelled
      let who = isCancelled ? " Neither machine is paired with the other, unless it was before." : ""
      throw TerminalFailure(status, sentence + who)
    }
    if isWizard { console.noteWrapped(sentence) } else { console.note(sentence) }
  }
}

/// An event of a pairing for programs; `event` says which members are there.
struct PairingRecord: Hashable, Sendable, Codable {
  enum Event: String, Hashable, Sendable, Codable {
    /// `code`, `typedCode`, `expiresInMilliseconds`, `failuresLeft`, `childName`?.
    case code
    /// A machine has the code and wants a yes or a no: `name`, `role`, `digits`, `attempt`.
    case request
    /// The machine has left again: `attempt`.
    case withdrawn
    /// A wrong code was entered: `failuresLeft`.
    case failure
    /// The pairing has ended: `outcome`, `sentence`, `device`?.
    case result
  }

  var event: Event
  var pairingID: String?
  var code: String?
  var typedCode: String?
  var expiresInMilliseconds: Int64?
  var failuresLeft: Int?
  var childName: String?
  var name: DeviceName?
  var role: DeviceRole?
  var digits: String?
  var attempt: Int?
  var outcome: PairingOutcome?
  var sentence: String?
  var device: RegisteredDevice?
}
