import ArgumentParser
import Glibc
import LatchkeyModel
import LatchkeyNode
import LatchkeySystem
import Synchronization

struct NotifySubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notify", abstract: "Show notices on the desktop, until told to stop.",
    discussion: """
      The package starts it in each desktop session. On a child's machine, it shows warnings, what was closed and why, and \
      what parents answer; a button asks for more time. On a parent's machine, it shows what children ask, with buttons to \
      answer, and what else a parent should know, each once. It goes on by itself when the node was away. Without it, rules \
      hold all the same, and `latchkey requests` lists what children ask.

      Example: latchkey notify
      """)

  /// The longest pause before the node is tried again, in seconds.
  private static let longestPause = 60

  @OptionGroup var node: NodeOptions

  func run() async throws {
    let environment = TerminalEnvironment.current
    guard let lock = Self.lock(environment.variables["XDG_RUNTIME_DIR"]) else {
      console.note("Notices are shown in this session already, by another `latchkey notify`.")
      return
    }
    defer { if lock >= 0 { close(lock) } }
    let desktop: any NotificationDesktop =
      if let desktop = environment.desktop { desktop } else { try NotificationService(environment.variables) }
    let happenings = Happenings()
    let sources = [
      Task { await follow(happenings) },
      Task { for await event in desktop.events { happenings.add(.desktop(event)) } },
    ]
    defer { for source in sources { source.cancel() } }
    try await show(happenings, on: desktop)
  }

  /// Shows what happens until the session is over.
  private func show(_ happenings: Happenings, on desktop: any NotificationDesktop) async throws {
    var (child, parent) = (ChildTeller(node, on: desktop), ParentTeller(node, on: desktop))
    var timer: Task<Void, any Error>?
    defer { timer?.cancel() }
    for await happening in happenings.all {
      if case .desktop(.lost) = happening {
        throw TerminalFailure(
          .unavailable, "The session's bus has been gone for a minute: run this again in a desktop session.")
      }
      do { try await Self.handle(happening, &child, &parent, happenings) } catch { happenings.complain(error) }
      guard case .news = happening else { continue }
      timer?.cancel()
      timer = parent.pause.map { Self.timer($0, happenings) }
    }
  }

  private static func handle(
    _ happening: Happenings.Happening, _ child: inout ChildTeller, _ parent: inout ParentTeller,
    _ happenings: Happenings
  ) async throws {
    switch happening {
    case .notice(let notice): try child.tell(notice)
    case .news:
      happenings.beginNews()
      try await parent.look()
    case .desktop(let event):
      try await child.handle(event)
      try await parent.handle(event)
      // What could not be shown before may be now.
      if case .replaced = event, parent.hasLooked { happenings.addNews() }
    }
  }

  private static func timer(_ seconds: Int, _ happenings: Happenings) -> Task<Void, any Error> {
    Task {
      try await TerminalEnvironment.current.pause(.seconds(seconds))
      try Task.checkCancellation()
      happenings.addNews()
    }
  }

  /// Follows the node: what a child is told, or what changes for parents.
  private func follow(_ happenings: Happenings) async {
    let environment = TerminalEnvironment.current
    var (last, pause) = (0, 1)
    while !Task.isCancelled {
      do {
        let node = try await node.open()
        if let notices = try await Self.childsNotices(at: node, after: last) {
          pause = 1
          happenings.forgetComplaint()
          for await notice in notices {
            last = notice.number
            happenings.add(.notice(notice))
          }
        } else {
          let changes = try await node.ask(Endpoints.changeEvents, nil)
          pause = 1
          happenings.forgetComplaint()
          for await change in changes where Self.isNews(change.about) { happenings.addNews() }
        }
      } catch { happenings.complain(error) }
      try? await environment.pause(.seconds(pause))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Returns what a child is told; `nil` on a parent's machine.
  private static func childsNotices(
    at node: any NodeInterface, after number: Int
  ) async throws(LocalAPIError) -> AsyncStream<ChildNotice>? {
    do throws(LocalAPIError) { return try await node.ask(Endpoints.noticeEvents, number) } catch {
      guard error.code == .wrongRole else { throw error }
      return nil
    }
  }

  private static func isNews(_ about: ChangeEvent.About) -> Bool {
    switch about {
    case .start, .reset, .notice, .request: true
    default: false
    }
  }

  /// Returns the session's lock, −1 without a folder for it, or `nil` if another process has it.
  private static func lock(_ folder: String?) -> Int32? {
    guard let folder, folder.hasPrefix("/") else { return -1 }
    let descriptor = open(folder + "/latchkey-notify.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return -1 }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
    close(descriptor)
    return nil
  }
}

/// What a notifier has to handle, in turn.
private final class Happenings: Sendable {
  enum Happening: Sendable {
    /// A child is told something.
    case notice(ChildNotice)
    /// Parents may have something to be told.
    case news
    case desktop(NotificationService.Event)
  }

  let all: AsyncStream<Happening>
  private let adder: AsyncStream<Happening>.Continuation
  /// Whether a look at the news is due already.
  private let isDue = Mutex(false)
  private let complaint = Mutex("")

  init() { (all, adder) = AsyncStream.makeStream() }

  func add(_ happening: Happening) { adder.yield(happening) }

  /// Adds a look at the news, once for all changes until it begins.
  func addNews() {
    if !isDue.withLock({ exchange(&$0, with: true) }) { adder.yield(.news) }
  }

  func beginNews() { isDue.withLock { $0 = false } }

  /// Says what keeps notices from being shown, once however often it is tried.
  func complain(_ error: any Error) {
    let sentence = TerminalFailure(error)?.sentence ?? "\(error)"
    let last = complaint.withLock { exchange(&$0, with: sentence) }
    if last != sentence { TerminalEnvironment.current.console.note("latchkey: " + ShownText.safe(sentence)) }
  }

  /// Notes that all is well, so that the next failure is said again.
  func forgetComplaint() { complaint.withLock { $0 = "" } }
}
