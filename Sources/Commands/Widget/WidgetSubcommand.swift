import ArgumentParser
import LatchkeyModel
import LatchkeyNode

struct WidgetSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "widget", abstract: "Write a line for a status bar.",
    discussion: """
      On a child's machine the line says how much time is left today, or why there is none; on a parent's, how many requests \
      are open, what is left for each child, and how many warnings there are. It says so when the node does not answer, and \
      the exit status is 0 then, too. For i3blocks it is 33, which marks the block as urgent, when a child has 5 minutes left \
      or asks for something.

      In waybar's config: "custom/latchkey": {"exec": "latchkey widget --format waybar --follow", "return-type": "json"}
      Its classes are free, left, low, over, well, asked, warned and away, and urgent beside one of them.

      In i3blocks' config: command=latchkey widget --format i3blocks
      and interval=20

      In .tmux.conf: set -g status-right "#(latchkey widget --format tmux)"

      Example: latchkey widget
      Example: latchkey widget --format waybar --follow
      """)

  /// A followed bar is updated after these seconds in any case: time passes without an event, and a
  /// shared account has none while nobody has said who is there.
  private static let refreshSeconds = 10

  @OptionGroup var node: NodeOptions

  @Option(help: .value("waybar|i3blocks|tmux|plain", "The bar that reads the line.")) var format: WidgetFormat = .plain

  @Flag(help: "Go on with a line for each change, also after the node was away.") var follow = false

  func validate() throws {
    if follow, format == .i3blocks || format == .tmux {
      throw ValidationError("--follow is for waybar and plain: \(format) runs the command again by itself.")
    }
  }

  func run() async throws {
    let environment = TerminalEnvironment.current
    let source = WidgetSource { [node] in try await node.open() }
    if follow { return try await follow(source, environment) }
    let line = await source.line()
    try console.write(try format.text(line, mayColor: environment.mayColour))
    // Only a person at a terminal reads on.
    if line.mood == .away, format == .plain, let sentence = line.details.first {
      console.note("latchkey: " + sentence)
    }
    let status = format.status(line)
    if status != ExitStatus.ok.rawValue { throw ExitCode(status) }
  }

  private func follow(_ source: WidgetSource, _ environment: TerminalEnvironment) async throws {
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        while !Task.isCancelled {
          change.yield()
          try await environment.pause(.seconds(Self.refreshSeconds))
        }
      }
      group.addTask {
        while !Task.isCancelled {
          try? await source.follow { change.yield() }
          change.yield()
          try await environment.pause(.seconds(Self.refreshSeconds))
        }
      }
      var shown = ""
      for await _ in changes {
        let text = try format.text(await source.line(), mayColor: environment.mayColour)
        if text != shown { try environment.console.write(text) }
        shown = text
      }
    }
  }
}

/// Reads from the node what a status bar shows.
private struct WidgetSource: Sendable {
  let open: @Sendable () async throws -> any NodeInterface

  func line() async -> WidgetLine {
    let language = TerminalEnvironment.current.language
    do {
      let node = try await open()
      do { return WidgetLine(try await Self.ownDay(node), in: language) } catch {
        switch error.code {
        case .wrongRole: return try await Self.parentsLine(node)
        case .unknownChild:
          guard let unnamed = try await node.ask(Endpoints.getPresence).unnamed else { throw error }
          return WidgetLine(unnamed, in: language)
        default: throw error
        }
      }
    } catch { return WidgetLine(away: error, in: language) }
  }

  /// Returns the day of the child whose account it is, or whose machine it is alone.
  private static func ownDay(_ node: any NodeInterface) async throws(LocalAPIError) -> ChildToday {
    do { return try await node.ask(Endpoints.getOwnToday) } catch {
      // Those who keep a machine may see its only child's day.
      guard error.code == .unknownChild, let children = try? await node.ask(Endpoints.getChildren),
        let child = children.first, children.count == 1
      else { throw error }
      return try await node.ask(Endpoints.getToday, child.childID.description)
    }
  }

  private static func parentsLine(_ node: any NodeInterface) async throws(LocalAPIError) -> WidgetLine {
    let status = try await node.ask(Endpoints.getStatus)
    let connected = Set(status.peers.filter(\.isConnected).map(\.device.name))
    var days: [(ChildToday, Bool)] = []
    for child in try await node.ask(Endpoints.getChildren) where !child.machines.isEmpty {
      let day = try await node.ask(Endpoints.getToday, child.childID.description)
      days.append((day, !connected.isDisjoint(with: child.machines)))
    }
    // The same as `latchkey status` shows and `latchkey_warnings` counts.
    let conditions = try await node.ask(Endpoints.getConditions).filter(\.isWarning).compactMap {
      $0.words(on: "“\($0.deviceName)”")?.sentence
    }
    return WidgetLine(
      requests: try await node.ask(Endpoints.getRequests, nil), days: days, warnings: status.warnings + conditions)
  }

  /// Calls a closure with each change that the node reports, until the node stops.
  func follow(_ changed: @escaping @Sendable () -> Void) async throws {
    for await change in try await open().ask(Endpoints.changeEvents, nil) where change.about != .command { changed() }
  }
}

/// The form in which a status bar takes its text.
enum WidgetFormat: String, WordArgument, Sendable {
  case waybar, i3blocks, tmux, plain

  /// The status by which i3blocks marks a block as urgent; it takes any other than 0 for a fault.
  static let urgentStatus: Int32 = 33

  /// Returns a line as the bar takes it: one line with its end, for i3blocks two or three.
  func text(_ line: WidgetLine, mayColor: Bool) throws -> String {
    let color = mayColor ? line.mood.color : nil
    switch self {
    case .plain: return line.text + "\n"
    case .waybar: return try JSONText.line(WaybarLine(line))
    case .i3blocks: return ([line.text, line.text] + [color].compactMap(\.self)).joined(separator: "\n") + "\n"
    case .tmux:
      // tmux takes a doubled # for the character.
      let text = line.text.replacing("#", with: "##")
      return (color.map { "#[fg=\($0)]\(text)#[default]" } ?? text) + "\n"
    }
  }

  func status(_ line: WidgetLine) -> Int32 {
    self == .i3blocks && line.isUrgent ? Self.urgentStatus : ExitStatus.ok.rawValue
  }
}

/// What a custom module of waybar reads.
private struct WaybarLine: Encodable {
  var text: String
  var alt: String
  var tooltip: String
  var `class`: [String]
  var percentage: Int?

  init(_ line: WidgetLine) {
    text = Self.markup(line.text)
    alt = line.mood.rawValue
    tooltip = line.details.map(Self.markup).joined(separator: "\n")
    `class` = [line.mood.rawValue] + (line.isUrgent ? ["urgent"] : [])
    percentage = line.percentage
  }

  /// Returns a text without Pango's markup.
  private static func markup(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
