import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import LatchkeySystem

/// The lines on a child's terminals, for children without a desktop that shows what closes.
///
/// Each report is written once, even if it is sent to the node again. Spec: Protocol/13-agent.md
/// §9.
struct TerminalTeller {
  /// The variable that turns the lines off.
  static let off = "LATCHKEY_NO_TERMINALS"
  /// The time within which the same sentence is not written to an account again, in milliseconds.
  private static let repetitionMilliseconds: Int64 = 10_000
  /// The most sentences for an account within that time, whatever names its programs have.
  private static let capacity = 16

  private struct Told {
    var account: UInt32
    var sentence: String
    var at: BootInstant
  }

  private let isOn: Bool
  private let language: Language
  private let terminals: (UInt32) -> [AccountTerminal]
  private var lastReport: UInt64 = 0
  private var told: [Told] = []

  init(
    isOn: Bool = getenv(TerminalTeller.off) == nil, language: Language = .english,
    terminals: @escaping (UInt32) -> [AccountTerminal] = {
      AccountTerminal.hasDesktopHelper($0) ? [] : AccountTerminal.all(of: $0)
    }
  ) { (self.isOn, self.language, self.terminals) = (isOn, language, terminals) }

  /// Writes a report to the child's terminals, if it concerns the child.
  ///
  /// `terms` returns the terms of an application in an account.
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
      write(ClosingSentence.closed(reason: reason, deed: deed, graceMilliseconds: grace), to: use.account, at: now)
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

  /// Returns the bytes of a sentence in lines of the usual width, without other control characters.
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

/// A terminal where a person of an account may be.
struct AccountTerminal: Hashable {
  /// Its path, such as `/dev/pts/3`.
  let path: String
  let device: UInt64

  /// Returns the terminal for the field `tty_nr` of `/proc/PID/stat`; `nil` for other devices.
  init?(number: UInt64) {
    let major = number >> 8 & 0xFFF
    let minor = number & 0xFF | number >> 12 & 0xFFF00
    switch major {
    case 4 where (1...63).contains(minor): path = "/dev/tty\(minor)"
    case 136...143: path = "/dev/pts/\(minor + (major - 136) * 256)"
    default: return nil
    }
    device = major << 8 | minor & 0xFF | (minor & 0xFFF00) << 12
  }

  /// Writes to the terminal if it is the account's and takes the text at once; returns whether so.
  ///
  /// It never waits. A terminal that is stopped, or whose reader has stopped reading, is skipped.
  /// Only the account's own device is opened, which the account cannot exchange for a file of
  /// another kind.
  func write(_ bytes: [UInt8], of account: UInt32) -> Bool {
    let descriptor = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, status.st_uid == account,
      UInt64(status.st_rdev) == device
    else { return false }
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }
}

extension AccountTerminal {
  static func all(of account: UInt32, most: Int = 32) -> [AccountTerminal] {
    var found: Set<AccountTerminal> = []
    for pid in ProcFile.processes() {
      guard let status = ProcFile.status("/proc/\(pid)"), status.st_uid == account else { continue }
      guard found.count < most, let line = ProcFile.read("/proc/\(pid)/stat", most: 1_024),
        let number = number(in: line), let terminal = AccountTerminal(number: number)
      else { continue }
      found.insert(terminal)
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Returns whether the account runs the helper that shows notices on its desktop.
  fileprivate static func hasDesktopHelper(_ account: UInt32) -> Bool {
    ProcFile.processes().contains { pid in ProcFile.status("/proc/\(pid)")?.st_uid == account && isDesktopHelper(pid) }
  }

  /// Returns whether a process is `latchkey notify`.
  ///
  /// A child who gives a program that name only misses these lines.
  private static func isDesktopHelper(_ pid: Int32) -> Bool {
    let words = (ProcFile.read("/proc/\(pid)/cmdline", most: 256) ?? []).split(separator: 0)
    guard words.count > 1, words[1].elementsEqual("notify".utf8) else { return false }
    return words[0].elementsEqual("latchkey".utf8) || words[0].suffix(9).elementsEqual("/latchkey".utf8)
  }

  /// Returns field 7 of a line of `/proc/PID/stat`.
  static func number(in line: [UInt8]) -> UInt64? {
    guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 6)
    guard fields.count > 4, let number = Int32(String(decoding: fields[4], as: UTF8.self)) else { return nil }
    return UInt64(UInt32(bitPattern: number))
  }
}
