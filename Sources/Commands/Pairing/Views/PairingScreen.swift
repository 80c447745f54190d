import LatchkeyModel

/// An open code in the terminal: it stays in sight while it waits, and its time counts down in place.
struct PairingScreen: PairingView {
  private let console: any Console
  private let look: TerminalLook
  private let isBold: Bool
  private var live: LivePanel
  private var panel: InvitationPanel?
  private var remaining: Int64?
  private var notice: String?
  /// The messages below the page, which are all that a window too small for the page shows.
  private var transcript: PairingTranscript
  private var opened: PairingProgress?
  private var isTooSmall = false
  private var isWaiting = false

  init(console: any Console, look: TerminalLook, isBold: Bool) {
    self.console = console
    self.look = look
    self.isBold = isBold
    live = LivePanel(console: console)
    transcript = PairingTranscript(console: console, isWizard: true)
  }

  mutating func began(_ pairing: PairingProgress) throws {
    guard pairing.code != nil else { return try transcript.began(pairing) }
    opened = pairing
    panel = InvitationPanel(pairing, look: look, isBold: isBold)
    remaining = pairing.expiresInMilliseconds
    try wait()
  }

  mutating func guessed(failuresLeft: Int) throws {
    notice = PairingWords.guessed(failuresLeft)
    if isTooSmall || !isWaiting { return try transcript.guessed(failuresLeft: failuresLeft) }
    try show()
  }

  mutating func met(_ pairing: PairingProgress, asks: Bool) throws {
    try stopWaiting("A machine has the code; see below.")
    try transcript.met(pairing, asks: asks)
  }

  mutating func unclear() throws { try transcript.unclear() }

  mutating func lost(_ pairing: PairingProgress) throws {
    try transcript.lost(pairing)
    remaining = pairing.expiresInMilliseconds
    try wait()
  }

  mutating func answered(_ pairing: PairingProgress, accepts: Bool) throws {
    try transcript.answered(pairing, accepts: accepts)
  }

  mutating func doubts(_ sentence: String) throws { try transcript.doubts(sentence) }

  mutating func ticked(remaining: Int64?) throws {
    self.remaining = remaining
    if isTooSmall { return try transcript.ticked(remaining: remaining) }
    try show()
  }

  mutating func resized() throws {
    guard isWaiting, !isTooSmall else { return }
    guard let lines = page(console.size) else { return try becomeTooSmall() }
    // Lines that still fit and stay the same are where they were.
    if !live.shows(lines) { live.showAnew(lines, rows: console.size.rows) }
  }

  mutating func node(isThere: Bool) throws {
    if isTooSmall || !isWaiting { return try transcript.node(isThere: isThere) }
    notice = isThere ? nil : PairingWords.node(isThere: isThere)
    try show()
  }

  mutating func ended(_ pairing: PairingProgress) throws {
    try stopWaiting(pairing.phase == .ended ? "This code is closed." : "Nobody watches this code any more.")
    try transcript.ended(pairing)
  }

  private mutating func wait() throws {
    isWaiting = true
    console.setInput(.keys)
    try show()
  }

  private mutating func stopWaiting(_ word: String) throws {
    guard isWaiting else { return }
    isWaiting = false
    if !isTooSmall, let lines = panel?.lines(size: console.size, time: word, notice: notice) {
      live.show(lines)
    }
    live.leave()
    console.setInput(.lines)
  }

  private mutating func show() throws {
    guard isWaiting, !isTooSmall else { return }
    guard let lines = page(console.size) else { return try becomeTooSmall() }
    live.show(lines)
  }

  private func page(_ size: TerminalSize) -> [String]? {
    let time =
      remaining.map { "Good for \(PairingWords.countdown($0)); Ctrl-C closes it." } ?? "Ctrl-C closes the code."
    return panel?.lines(size: size, time: time, notice: notice)
  }

  private mutating func becomeTooSmall() throws {
    isTooSmall = true
    live.leave()
    if let opened { try transcript.began(opened) }
  }
}
