import ArgumentParser
import LatchkeyNode

/// The `latchkey widget` subcommand.
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

  /// The seconds after which a bar that is followed is brought up to date in any case: time passes
  /// without an event, and nothing is told in an account that is shared while nobody is named.
  private static let refreshSeconds = 10

  @OptionGroup var node: NodeOptions

  @Option(help: ArgumentHelp("The bar that reads the line.", valueName: "waybar|i3blocks|tmux|plain"))
  var format: WidgetFormat = .plain

  @Flag(help: "Go on with a line for each change, also after the node was away.")
  var follow = false

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
    try environment.console.write(try format.text(line, mayColor: environment.mayColour))
    // Only a person at a terminal reads on.
    if line.mood == .away, format == .plain, let sentence = line.details.first {
      environment.console.note("latchkey: " + sentence)
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
