import Foundation
import Glibc
import LatchkeyAgentProtocol
import LatchkeyModel
import Testing

@testable import LatchkeyAgentProgram

/// Tests of the lines on a child's terminals, with real ones: Protocol/13-agent.md §9.
@Suite struct TerminalTellerTests {
  /// A pseudo-terminal whose other end nobody reads.
  private final class Pty {
    let master: Int32
    let path: String

    init() throws {
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (lock, number): (Int32, Int32) = (0, -1)
      // TIOCSPTLCK and TIOCGPTN, which the C library's headers declare to programs for Linux alone.
      let isReady =
        master >= 0 && ioctl(master, 0x4004_5431 as UInt, &lock) == 0
        && ioctl(master, 0x8004_5430 as UInt, &number) == 0
      self.master = master
      path = "/dev/pts/\(number)"
      try #require(isReady)
    }

    /// Returns what was written to the terminal so far.
    func text() -> String {
      _ = fcntl(master, F_SETFL, O_NONBLOCK)
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(master, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// Waits for what is written to the terminal next.
    func next() -> String {
      var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, 60_000)
      return text()
    }

    var terminal: AccountTerminal? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      let device = UInt64(status.st_rdev)
      return AccountTerminal(number: device & 0xFFFF_FFFF)
    }

    deinit { close(master) }
  }

  private func warned(_ number: UInt64, left: Int64 = 300_000) -> AgentReport {
    AgentReport(
      number: number, at: BootInstant(milliseconds: 0),
      event: .warned(account: geteuid(), app: AppID("kart"), left: left))
  }

  @Test("A child that has programs of many names closed silences nothing that a sibling is told")
  func manyNames() throws {
    var asked: [UInt32] = []
    var teller = TerminalTeller(isOn: true) {
      asked.append($0)
      return []
    }
    let process = ProcessIdentity(processID: 5, startTime: 5)
    for number in 1...1_000 {
      let use = ProgramUse(account: number < 1_000 ? 1_000 : 1_001, app: nil, isWeak: true, process: process)
      let report = AgentReport(
        number: UInt64(number), at: BootInstant(milliseconds: 0),
        event: .closed(use, .killed, reason: "\(number): blocked", matchers: []))
      teller.tell(report, at: BootInstant(milliseconds: 0)) { _, _ in nil }
    }
    #expect(asked.filter { $0 == 1_000 }.count == 16 && asked.last == 1_001, "\(asked)")
  }

  @Test("A warning is written once to the account's terminal, without control characters")
  func told() throws {
    let pty = try Pty()
    let terminal = try #require(pty.terminal)
    #expect(terminal.path == pty.path)
    var teller = TerminalTeller(isOn: true) { $0 == geteuid() ? [terminal] : [] }
    func tell(_ report: AgentReport, at milliseconds: Int64) {
      teller.tell(report, at: BootInstant(milliseconds: milliseconds)) { _, app in
        ProgramTerms(reason: "Kart\u{1B}[2J\u{7}\u{202E}\u{9B}: bed\r\ntime \(app?.text ?? "")")
      }
    }
    tell(warned(1), at: 0)
    #expect(pty.next().contains("\nLatchkey: Kart[2J closes in 5 minutes: bedtime kart.\r"))
    tell(warned(1), at: 60_000)
    tell(warned(2), at: 1)
    #expect(pty.text() == "", "The same report, or the same sentence at once, is not written again.")
    tell(warned(3, left: 60_000), at: 2)
    #expect(pty.next().contains("closes in 1 minute"))
    var off = TerminalTeller(isOn: false) { _ in [terminal] }
    off.tell(warned(9), at: BootInstant(milliseconds: 0)) { _, _ in ProgramTerms(reason: "Kart: bedtime") }
    #expect(pty.text() == "")
  }

  @Test("A long sentence is broken between words at 80 columns")
  func wrapped() {
    let sentence = "Battle for Wesnoth closes in 5 minutes: 1 h 30 min of screen time a day are used. Save your work."
    let text = String(decoding: TerminalTeller.line(sentence), as: UTF8.self)
    let lines = text.split(separator: "\r\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.count < 80 })
    #expect(lines.joined(separator: " ") == "Latchkey: \(sentence)")
  }

  @Test("A terminal that takes nothing any more is left out at once, and so is one of another account")
  func stopped() throws {
    let pty = try Pty()
    let terminal = try #require(pty.terminal)
    #expect(!terminal.write([0x78], of: geteuid() &+ 1))
    let line = [UInt8](repeating: 0x78, count: 1_024)
    var writes = 0
    while terminal.write(line, of: geteuid()), writes < 10_000 { writes += 1 }
    #expect(writes < 10_000, "Nobody reads, and the agent does not wait.")
    // Another file in the terminal's place is not written to.
    #expect(AccountTerminal(number: 0) == nil && AccountTerminal(number: 0x0103) == nil)
  }

  @Test("The terminals of an account are those of its processes")
  func found() throws {
    let pty = try Pty()
    // The program has the terminal as its own, and writes a byte once it runs.
    var words: [UnsafeMutablePointer<CChar>?] =
      (["setsid", "--ctty", "sh", "-c", "printf x; exec sleep 600"] as [String]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, pty.path, O_RDWR | O_NOCTTY, 0)
    }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, "setsid", &actions, nil, &words, environ)
    try #require(code == 0)
    defer {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    #expect(pty.next() == "x")
    #expect(AccountTerminal.all(of: geteuid(), most: 100_000).map(\.path).contains(pty.path))
    #expect(!AccountTerminal.all(of: geteuid() &+ 1, most: 100_000).map(\.path).contains(pty.path))
  }

  @Test("Field 7 of a line is the terminal, also of a program whose name has parentheses")
  func field() {
    let line = Array("12 (a) b (c)) S 1 12 12 34817 12 4194304 1 0".utf8)
    #expect(AccountTerminal.number(in: line) == 34_817)
    #expect(AccountTerminal(number: 34_817)?.path == "/dev/pts/1")
    #expect(AccountTerminal(number: 0x10_88_2A)?.path == "/dev/pts/298")
    #expect(AccountTerminal(number: 0x0402)?.path == "/dev/tty2")
    #expect(AccountTerminal.number(in: Array("12 (a) S 1 2".utf8)) == nil)
  }
}
