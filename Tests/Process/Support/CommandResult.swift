import Foundation
import LatchkeyHousehold
import LatchkeyModel

/// The result of a run of the program.
struct CommandResult: Sendable, CustomStringConvertible {
  var end: ProcessEnd
  var output: String
  var talk: String

  /// The exit status; -1 after a signal.
  var status: Int32 { if case .exited(let status) = end { status } else { -1 } }

  /// Lines of standard error that are not empty.
  var talkLines: [Substring] { talk.split(separator: "\n") }

  /// Reads standard output as JSON.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try CommandRegistry.household.decoder().decode(type, from: Data(output.utf8))
  }

  var description: String { "\(end), output: \(output), talk: \(talk)" }
}
