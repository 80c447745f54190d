import LatchkeyModel

/// What became of earlier commands when a command for the same thing was taken back.
package struct ModelTakenBack: Sendable {
  package var queuedAgain: CommandID?
  package var expired: [CommandID] = []
  package var change: ModelChange?
}
