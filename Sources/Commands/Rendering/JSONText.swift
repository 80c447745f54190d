import Foundation
import LatchkeyModel

/// Values as JSON for programs: sorted keys, so that two outputs can be compared, and nothing that
/// steers a terminal.
enum JSONText {
  /// Returns JSON on several lines, with a line end.
  static func pretty(_ value: some Encodable) throws -> String {
    try text(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
  }

  /// Returns JSON on one line, with its line end.
  static func line(_ value: some Encodable) throws -> String {
    try text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    return PrintableText.escapedJSON(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
  }
}
