import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel

/// The lines that an agent writes to a child's terminals, for children without a desktop that shows
/// what closes.
///
/// Each report is written once, even if it is sent to the node again.
///
/// Spec: Protocol/13-agent.md §9.
struct TerminalTeller {
  /// The variable that turns the lines off.
  static let off = "LATCHKEY_NO_TERMINALS"
  /// The time within which the same sentence is not written to an account again, in milliseconds.
  private static let repetitionMilliseconds: Int64 = 10_000
  /// The most sentences written to an account within that time, whatever names a child gives its
  /// programs.
  private static let capacity = 16

  private struct Told {
    var account: UInt32
    var sentence: String
    var at: BootInstant
  }

  private let isOn: Bool
  private let language: Language
  /// Returns the terminals of an account on which the child is warned.
  private let terminals: (UInt32) -> [AccountTerminal]
  private var lastReport: UInt64 = 0
  private var told: [Told] = []

  init(
    isOn: Bool = getenv(TerminalTeller.off) == nil, language: Language = .english,
    terminals: @escaping (UInt32) -> [AccountTerminal] = {
      AccountTerminal.hasDesktopHelper($0) ? [] : AccountTerminal.all(of: $0)
    }
  ) {
    self.isOn = isOn
    self.language = language
    self.terminals = terminals
  }

  /// Writes a report to the child's terminals, if it concerns the child.
  ///
  /// - Parameters:
  ///   - report: What was seen or done.
  ///   - now: The present.
  ///   - terms: Returns the terms of an application in an account.
  mutating func tell(
    _ report: AgentReport, at now: BootInstant, terms: (_ account: UInt32, _ app: AppID?) -> ProgramTerms?
  ) {
    guard isOn, report.number > lastReport else { return }
    lastReport = report.number
    switch report.event {
    case .warned(let account, let app, let left):
      guard let reason = terms(account, app)?.reason else { return }
      write(ClosingSentence.warning(reason: reason, left: left), to: account, at: now)
    case .closed(let use, let deed, let reason, _):
      let grace = terms(use.account, use.app)?.graceMilliseconds ?? ProgramTerms.usualGrace
      write(
        ClosingSentence.closed(reason: reason, deed: deed, graceMilliseconds: grace), to: use.account, at: now)
    case .sessionsWarned(let account, let left, let reason):
      write(ClosingSentence.sessionsWarning(reason: reason, left: left), to: account, at: now)
    case .sessionsClosed(let account, false, let reason):
      write(ClosingSentence.sessionsClosed(reason: reason), to: account, at: now)
    default: return
    }
  }

  private mutating func write(_ phrase: Phrase, to account: UInt32, at now: BootInstant) {
    let sentence = phrase.worded(in: language)
    told.removeAll { abs(now - $0.at) >= Self.repetitionMilliseconds }
    let lately = told.filter { $0.account == account }
    guard lately.count < Self.capacity, !lately.contains(where: { $0.sentence == sentence }) else { return }
    told.append(Told(account: account, sentence: sentence, at: now))
    let line = Self.line(sentence)
    for terminal in terminals(account) { _ = terminal.write(line, of: account) }
  }

  /// The most columns of a line: one less than a terminal of the usual width has.
  private static let columns = 79

  /// Returns the bytes of a sentence in lines of the usual width.
  ///
  /// Line ends are its only control characters.
  static func line(_ sentence: String) -> [UInt8] {
    var text = ""
    for scalar in sentence.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
      default: text.unicodeScalars.append(scalar)
      }
    }
    var (lines, line) = ([String](), "")
    for word in "Latchkey: \(text)".split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > columns {
        lines.append(line)
        line = String(word)
      } else {
        line += (line.isEmpty ? "" : " ") + word
      }
    }
    return Array(("\r\n" + (lines + [line]).joined(separator: "\r\n") + "\r\n").utf8)
  }
}
