import FoundationEssentials
import Glibc
import LatchkeyModel
import Logging

/// A log handler that writes each event to standard error as one line in one write(2), so that
/// lines never mix.
struct StandardErrorLogHandler: LogHandler {
  let format: LogFormat
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let line = line(
      at: Date(), level: event.level, message: event.message.description,
      metadata: metadata.merging(event.metadata ?? [:]) { $1 })
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Returns the line for one event, with its line end.
  func line(at date: Date, level: Logger.Level, message: String, metadata: Logger.Metadata) -> String {
    let time = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    switch format {
    case .text:
      let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value.description))" }
      let word = level.rawValue + String(repeating: " ", count: max(0, 8 - level.rawValue.count))
      return "\(time) \(word) \(PrintableText.of(message))\(pairs.joined())\n"
    case .json:
      let event = JSONEvent(
        time: time, level: level.rawValue, message: message, metadata: metadata.mapValues(\.description))
      let encoded = (try? LocalJSON.encode(event)) ?? []
      return PrintableText.escapedJSON(String(decoding: encoded, as: UTF8.self)) + "\n"
    }
  }

  private struct JSONEvent: Encodable {
    var time: String
    var level: String
    var message: String
    var metadata: [String: String]
  }

  private static func quoted(_ value: String) -> String {
    let plain = !value.isEmpty && !value.contains { $0 == " " || $0 == "\"" || $0 == "=" }
    let safe = PrintableText.of(value)
    return plain ? safe : "\"" + safe.replacing("\"", with: "\\\"") + "\""
  }
}

/// The form of log lines.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  case text
  /// One JSON object for each line.
  case json
}
