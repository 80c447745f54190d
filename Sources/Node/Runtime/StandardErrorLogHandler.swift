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
      metadata: metadata.merging(event.metadata ?? [:]) { $1 }, isTerminal: isatty(STDERR_FILENO) == 1)
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Returns the line for one event, with its line end.
  ///
  /// For a person at a terminal, the time is that of the clock on the wall, and the line is broken
  /// at spaces after 80 columns.
  func line(
    at date: Date, level: Logger.Level, message: String, metadata: Logger.Metadata, isTerminal: Bool = false
  ) -> String {
    let time = Self.time(date)
    switch format {
    case .text where isTerminal:
      let pairs = metadata.sorted { $0.key < $1.key }.map { " (\($0.key): \(PrintableText.of($0.value.description)))" }
      let word = level == .info ? "" : "\(level.rawValue): "
      return Self.broken("\(Self.clock(date)) \(word)\(PrintableText.of(message))\(pairs.joined())")
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

  /// Returns a text in lines of at most 80 columns, the second and later ones indented; a longer
  /// word stays whole.
  private static func broken(_ text: String) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let begun = lines.last, begun.count + 1 + word.count <= 80 {
        lines[lines.count - 1] = begun + " " + word
      } else {
        lines.append((lines.isEmpty ? "" : "  ") + word)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the time in UTC with milliseconds, such as 2026-03-01T18:05:09.120Z.
  ///
  /// A node logs before it calls its peers, and a calendar of Foundation's would take half a
  /// millisecond of its start.
  private static func time(_ date: Date) -> String {
    let milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))
    let fraction = (milliseconds % 1_000 + 1_000) % 1_000
    var (seconds, parts) = (time_t((milliseconds - fraction) / 1_000), tm())
    gmtime_r(&seconds, &parts)
    let day = digits([parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday], "-")
    return "\(day)T\(digits([parts.tm_hour, parts.tm_min, parts.tm_sec], ":")).\(String(fraction + 1_000).dropFirst())Z"
  }

  /// Returns the time of the day in this machine's zone, such as 18:05:09.
  private static func clock(_ date: Date) -> String {
    var (seconds, parts) = (time_t(date.timeIntervalSince1970), tm())
    localtime_r(&seconds, &parts)
    return digits([parts.tm_hour, parts.tm_min, parts.tm_sec], ":")
  }

  /// Returns numbers with two digits or more each.
  private static func digits(_ numbers: [CInt], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
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

public enum LogFormat: String, Sendable, Hashable, CaseIterable {
  case text
  /// One JSON object for each line.
  case json
}
