import Foundation

/// A session bus of the lab's own with dunst, a notification service for X11, on an X server
/// without a screen.
final class DunstDesktop {
  /// A notification as dunst keeps it.
  struct Notification: Hashable {
    var id: Int
    var title: String
    var body: String
  }

  /// The environment variables of the session.
  let variables: [String: String]
  private let lab: ProcessLab
  private let settings: String
  private let choice: String
  private var dunst: SpawnedProcess?

  /// Starts all of it.
  init(_ lab: ProcessLab) async throws {
    self.lab = lab
    (settings, choice) = (lab.newPath(), lab.newPath())
    var variables = try await lab.sessionBus().variables
    let number = lab.newPath()
    let server = try lab.spawn(
      "Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"], output: number,
      talk: number + ".log")
    try await eventually("the X server is ready") {
      guard server.isRunning else { throw LabFault("It ended: \(ProcessLab.read(number + ".log"))") }
      return ProcessLab.read(number).hasSuffix("\n")
    }
    variables["DISPLAY"] = ":" + ProcessLab.read(number).trimmingCharacters(in: .whitespacesAndNewlines)
    self.variables = variables
    // The menu of a notification's buttons chooses the line that holds the text of a file.
    let menu = lab.newPath()
    try "#!/bin/sh\nexec grep -m 1 -F -f \(choice)\n".write(toFile: menu, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: menu)
    try """
    [global]
    dmenu = \(menu)
    history_length = 100
    markup = full
    [urgency_normal]
    timeout = 0
    """.write(toFile: settings, atomically: true, encoding: .utf8)
    try await comeBack()
  }

  /// Starts dunst, which knows nothing of an earlier one.
  func comeBack() async throws {
    let log = settings + ".log"
    let dunst = try lab.spawn("dunst", ["-conf", settings], variables: variables, output: "/dev/null", talk: log)
    self.dunst = dunst
    try await eventually("dunst is there") {
      guard dunst.isRunning else { throw LabFault("It ended: \(ProcessLab.read(log))") }
      return try await self.control("count").status == 0
    }
  }

  /// Ends dunst.
  func leave() async {
    dunst?.signal(SIGKILL)
    _ = await dunst?.wait()
  }

  /// Presses a button of the notification that is shown.
  func press(_ label: String) async throws {
    try label.write(toFile: choice, atomically: true, encoding: .utf8)
    _ = try await control("context")
  }

  /// The number of notifications that are shown.
  var count: Int {
    get async throws {
      let answer = try await control("count", "displayed")
      return Int(answer.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }
  }

  /// The notifications that were closed, the newest first.
  var history: [Notification] {
    get async throws {
      struct Value: Decodable {
        var data: Data
        enum Data: Decodable {
          case text(String)
          case number(Int)
          case other
          init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
              self = .text(text)
            } else if let number = try? value.decode(Int.self) {
              self = .number(number)
            } else {
              self = .other
            }
          }
        }
        var text: String { if case .text(let text) = data { text } else { "" } }
        var number: Int { if case .number(let number) = data { number } else { 0 } }
      }
      struct Answer: Decodable { var data: [[[String: Value]]] }
      let answer = try await control("history").output
      return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).data.joined().map {
        Notification(
          id: $0["id"]?.number ?? 0, title: $0["summary"]?.text ?? "", body: $0["body"]?.text ?? "")
      }
    }
  }

  /// Closes what is shown, after which it is in the history.
  func closeAll() async throws { _ = try await control("close-all") }

  private func control(_ words: String...) async throws -> CommandResult {
    try await lab.run("dunstctl", words, variables: variables)
  }
}
