import LatchkeyModel
import LatchkeyWeb

/// An open code as a page of text for a terminal of any size.
struct InvitationPanel: Sendable {
  let code: String
  let typedCode: String?
  let childName: String?
  /// The code as a picture; `nil` if the terminal cannot show one.
  let picture: QRCodeText?
  let isBold: Bool

  /// The least width of the text beside the picture.
  private static let leastTextColumns = 26
  private static let gap = 2

  init(_ pairing: PairingProgress, look: TerminalLook, isBold: Bool) {
    let code = pairing.code ?? ""
    self.code = code
    self.isBold = isBold
    typedCode = pairing.typedCode
    childName = pairing.childName
    // Without the dashes, which are for the eye, there is room for more redundancy in a picture of
    // the same size.
    let compact = String(code.filter { $0 != "-" })
    picture = look.isUnicode && !code.isEmpty ? QRCode(compact).map { QRCodeText($0, paint: look.paint) } : nil
  }

  /// Returns the lines of the panel; `nil` if the terminal is too small to keep the code visible.
  ///
  /// Two rows below it remain free for messages. `time` says until when the code is open.
  func lines(size: TerminalSize, time: String, notice: String?) -> [String]? {
    let rows = size.rows - 2
    if let picture, picture.lines.count <= rows {
      let beside = size.columns - picture.width - Self.gap - 1
      if beside >= Self.leastTextColumns {
        let text = self.text(columns: beside, time: time, notice: notice, place: "on the left")
        if text.count <= rows { return Self.join(picture, text) }
      }
      if picture.width < size.columns {
        for isTight in [false, true] {
          let text = self.text(columns: size.columns - 1, time: time, notice: notice, place: "above", isTight: isTight)
          if picture.lines.count + text.count <= rows { return picture.lines + text }
        }
      }
    }
    let small =
      picture == nil
      ? nil : "For the QR code, make the window \(neededColumns) columns wide and \(neededRows) rows high."
    for (hint, isTight, tells) in [(small, false, true), (small, true, true), (nil, true, true), (nil, true, false)] {
      let text = self.text(
        columns: size.columns - 1, time: time, notice: notice, place: nil, hint: hint, isTight: isTight, tells: tells)
      if text.count <= rows { return text }
    }
    return nil
  }

  private var neededColumns: Int { (picture?.width ?? 0) + Self.gap + Self.leastTextColumns + 1 }
  private var neededRows: Int { (picture?.lines.count ?? 0) + 2 }

  private static func join(_ picture: QRCodeText, _ text: [String]) -> [String] {
    (0..<max(picture.lines.count, text.count)).map { index in
      let left = index < picture.lines.count ? picture.lines[index] : String(repeating: " ", count: picture.width)
      guard index < text.count, !text[index].isEmpty else { return left }
      return left + String(repeating: " ", count: gap) + text[index]
    }
  }

  /// Returns the lines of text beside the code's picture.
  ///
  /// `place` says where the picture is, such as “above”; it is `nil` without one. `hint` is advice
  /// about the picture, a tight text has no blank lines, and `tells` adds the steps on the other
  /// machine.
  private func text(
    columns: Int, time: String, notice: String?, place: String?, hint: String? = nil, isTight: Bool = false,
    tells: Bool = true
  ) -> [String] {
    func wrap(_ text: String) -> [String] { WrappedText.lines(text, columns: columns) }
    let space = isTight ? [] : [""]
    let whose = childName.map { "Code for \(ShownText.quoted(DeviceName(sanitising: $0)))" } ?? "Code for one machine"
    var lines = wrap(whose).map(bold) + space
    if tells { lines += wrap("On the other machine run `latchkey pair` and enter one of these:") + space }
    if let typedCode { lines += wrap("To type:") + WrappedText.groups(typedCode, columns: columns).map(bold) + space }
    let scan = place.map { "To paste (it is also in the picture \($0)):" } ?? "To paste:"
    lines += wrap(scan) + WrappedText.groups(code, columns: columns) + space
    if let hint { lines += wrap(hint) + space }
    lines += wrap(time)
    if let notice { lines += wrap(notice) }
    return lines
  }

  private func bold(_ text: String) -> String { isBold ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

/// An open code in the terminal: its page stays in sight, and its time counts down in place.
struct InvitationPage {
  private let console: any Console
  private let panel: InvitationPanel
  private var live: LivePanel
  /// The time until the code closes, in milliseconds, if known.
  var remaining: Int64?
  /// The news about the pairing; `nil` for none.
  var notice: String?

  init(_ pairing: PairingProgress, console: any Console, look: TerminalLook, isBold: Bool) {
    self.console = console
    panel = InvitationPanel(pairing, look: look, isBold: isBold)
    live = LivePanel(console: console)
  }

  /// Draws the page, below a broken one if it is anew; returns `false` if the window is too small.
  mutating func show(isAnew: Bool) -> Bool {
    let time = remaining.map { "Good for \(Self.countdown($0)); Ctrl-C closes it." } ?? "Ctrl-C closes the code."
    guard let lines = panel.lines(size: console.size, time: time, notice: notice) else { return false }
    if !isAnew {
      live.show(lines)
    } else if !live.shows(lines) {
      // Lines that still fit and stay the same are where they were.
      live.showAnew(lines, rows: console.size.rows)
    }
    return true
  }

  /// Leaves the page in place, with a word about its code instead of the time.
  mutating func leave(_ word: String) {
    if let lines = panel.lines(size: console.size, time: word, notice: notice) { live.show(lines) }
    live.leave()
  }

  /// The time left to the second, such as `4:59`.
  private static func countdown(_ milliseconds: Int64) -> String {
    let seconds = (max(0, milliseconds) + 999) / 1_000
    return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
  }
}
