import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem

/// The `latchkey notify` subcommand.
struct NotifySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "Show on a child's desktop what closes soon, until told to stop.",
    discussion: """
      The package starts it in each desktop session. It shows warnings, what was closed and why, and what parents answer. It \
      goes on by itself when the node was away, and it changes nothing: without it, programs close all the same.

      Example: latchkey notify
      """)

  /// The age from which on a notice is no news, in milliseconds.
  private static let staleMilliseconds: Int64 = 120_000
  /// The longest pause before the node is tried again, in seconds.
  private static let longestPause = 60

  @OptionGroup var node: NodeOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    guard let lock = Self.lock(environment.variables["XDG_RUNTIME_DIR"]) else {
      environment.console.note("Notices are shown in this session already, by another `latchkey notify`.")
      return
    }
    defer { if lock >= 0 { close(lock) } }
    var desktop = try DesktopNotifications(environment.variables)
    var last = 0
    var pause = 1
    var complaint = ""
    while !Task.isCancelled {
      do {
        let notices = try await node.open().ask(Endpoints.noticeEvents, last)
        (pause, complaint) = (1, "")
        for await notice in notices {
          last = notice.number
          guard BootClock.now() - notice.at < Self.staleMilliseconds else { continue }
          try desktop.show(Self.title(notice.kind), ShownText.safe(notice.sentence), key: notice.key)
        }
      } catch {
        let failure = TerminalFailure(error)
        if let failure, Self.isFinal(error) { throw failure }
        // Said once, however often it is tried.
        let sentence = failure?.sentence ?? "\(error)"
        if sentence != complaint { environment.console.note("latchkey: " + ShownText.safe(sentence)) }
        complaint = sentence
      }
      try await environment.pause(.seconds(pause))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Returns whether trying again is of no use: there is no desktop, or the machine is a parent's.
  private static func isFinal(_ error: any Error) -> Bool {
    if error is TerminalFailure { return true }
    return (error as? LocalAPIError)?.code == .wrongRole
  }

  private static func title(_ kind: ChildNotice.Kind) -> String {
    switch kind {
    case .warned: "Closes soon"
    case .closed: "Closed"
    case .lessTime: "Less time today"
    case .approved: "Your parents say yes"
    case .denied: "Your parents say no"
    }
  }

  /// Returns a descriptor that holds the session's lock, or −1 without a folder for it; `nil` if
  /// another process has it.
  private static func lock(_ folder: String?) -> Int32? {
    guard let folder, folder.hasPrefix("/") else { return -1 }
    let descriptor = open(folder + "/latchkey-notify.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return -1 }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}
