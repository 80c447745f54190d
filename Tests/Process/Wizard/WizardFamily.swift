import Foundation
import LatchkeyNode
import Testing

/// The wizards of a parent and a child in terminals, and the content of their pages.
protocol WizardFamily {}

extension WizardFamily {
  /// Runs a closure with a parent's and a child's node.
  func family(
    _ body: (_ parent: NodeProcess, _ child: NodeProcess, _ tmux: TmuxServer) async throws -> Void
  ) async throws {
    try await ProcessLab.run { lab in
      let parent = try await lab.runningNode(.parent, "Kitchen laptop", [])
      let child = try await lab.runningNode(.child, "Emma's PC", [])
      try await TmuxServer.run(lab) { try await body(parent, child, $0) }
    }
  }

  func expectUnpaired(
    _ nodes: NodeProcess..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for node in nodes {
      #expect(try await node.api.ask(Endpoints.getDevices).isEmpty, "\(node.name)", sourceLocation: sourceLocation)
      try await eventually("nothing is open at \(node.name)") { try await node.api.ask(Endpoints.getPairings).isEmpty }
    }
  }

  /// Answers yes on both sides, and checks that both wizards succeed.
  func agree(_ left: TmuxTerminal, _ right: TmuxTerminal) async throws {
    try await left.shows(question)
    try await left.enter("y")
    try await right.shows(sameThere)
    try await right.enter("y")
    try await leaveAccount(left)
    #expect(try await right.ended() == 0)
  }

  /// Leaves open which account is the child's, which the wizard asks where a machine has several,
  /// and checks its end.
  func leaveAccount(_ left: TmuxTerminal) async throws {
    try await left.shows("account")
    try await left.enter("")
    #expect(try await left.ended() == 0)
  }

  func decode(_ terminal: TmuxTerminal, columns: Int = 80, isDark: Bool) async throws -> String {
    let path = terminal.server.lab.newPath() + ".pgm"
    try ScreenPicture(try await terminal.coloured, columns: columns, isDark: isDark).write(to: path)
    let read = try await terminal.server.lab.run("/usr/bin/zbarimg", ["--quiet", "--raw", path])
    return read.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  var question: String { "may it join? [y/N]" }
  var sameThere: String { "Are they the same there? [y/N]" }
}
