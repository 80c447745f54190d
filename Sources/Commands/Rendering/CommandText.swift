import LatchkeyHousehold
import LatchkeyModel

/// Commands and what holds after them, in words.
enum CommandText {
  /// What a command asks for.
  static func request(_ payload: CommandPayload) -> String { ShownText.safe(payload.summary) }

  /// What the child's machine reported to hold, on one line.
  static func inForce(_ state: StateInForce, _ payload: CommandPayload) -> String {
    ShownText.safe(payload.value.result(state))
  }

  /// What a machine says that it holds, after "it holds".
  static func held(_ state: StateInForce) -> String { ShownText.safe(state.claim) }

  /// An application's rules without its name.
  static func rules(_ app: AppConfiguration) -> String { ShownText.safe(app.summary) }

  /// How far a rule is held to.
  static func words(_ enforcement: Enforcement) -> String { enforcement.summary }

  /// How far a command has come, on one line.
  static func progress(_ command: ConfigurationCommand) -> String {
    switch command.status {
    case .queued: "queued here, on its way"
    case .stored:
      command.waitsFor.map { "stored on the other machine: waits for \(ShownText.safe($0))" }
        ?? "stored on the other machine, not yet in force"
    case .executed: "executed" + (command.stateInForce.map { ": " + inForce($0, command.payload) } ?? "")
    case .failed:
      "failed: " + ShownText.safe(command.reason ?? "the other machine gave no reason.")
        + (command.stateInForce.map { " It says that it holds \(held($0))." } ?? "")
    case .expired: "expired before it was executed"
    case .superseded:
      if let state = command.stateInForce {
        "superseded: that machine says that it holds something newer instead, \(held(state))"
      } else {
        "superseded: a newer command for the same thing holds instead"
      }
    case .cancelled: "cancelled before it was stored"
    }
  }
}
