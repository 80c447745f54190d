import Foundation

/// A tmux server of the lab, whose windows are the terminals for wizards.
struct TmuxServer: Sendable {
  let lab: ProcessLab
  private let socket: String

  /// Runs `body` with a server, whose windows end with it.
  static func run(_ lab: ProcessLab, _ body: (TmuxServer) async throws -> Void) async throws {
    let server = TmuxServer(lab: lab, socket: lab.newPath() + ".tmux")
    do {
      try await body(server)
      _ = try? await server.ask("kill-server")
    } catch {
      _ = try? await server.ask("kill-server")
      throw error
    }
  }

  /// Starts `latchkey` with a node's state folder in a new window, with additional variables such
  /// as `NO_COLOR=1`.
  func open(
    _ node: NodeProcess, _ arguments: [String] = ["pair"], columns: Int = 80, rows: Int = 24, variables: [String] = []
  ) async throws -> TmuxTerminal {
    let name = "t" + UUID().uuidString.prefix(8)
    let raw = lab.newPath() + ".raw"
    let environment = lab.environment.map { "\($0.key)=\($0.value)" } + ["TERM=tmux-256color"] + variables
    // It starts once its raw output is written down from the first byte.
    let words = ["env", "-i"] + environment + [BuiltProgram.path] + arguments + ["--state-dir", node.folder]
    let program = words.map(Self.quoted).joined(separator: " ")
    // The shell outlives a Ctrl-C, to write down how the program ended.
    let command = "trap : INT HUP TERM; read -r _; \(program); echo $? > \(raw).status"
    let made = try await ask(
      "new-session", "-d", "-x", String(columns), "-y", String(rows), "-s", name, command, ";", "set-option", "-t",
      name,
      "remain-on-exit", "on", ";", "set-option", "-t", name, "status", "off", ";", "set-option", "-t", name,
      "window-size", "manual", ";", "resize-window", "-t", name, "-x", String(columns), "-y", String(rows), ";",
      "pipe-pane", "-t", name, "-o", "cat > \(raw)", ";", "send-keys", "-t", name, "Enter")
    guard made.status == 0 else { throw LabFault("tmux made no window: \(made)") }
    return TmuxTerminal(server: self, name: name, raw: raw)
  }

  /// Runs a command of tmux.
  func ask(_ arguments: String...) async throws -> CommandResult {
    try await lab.run("/usr/bin/tmux", ["-u", "-S", socket, "-f", "/dev/null"] + arguments)
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
  }
}
