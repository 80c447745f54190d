import Foundation
import LatchkeyModel
import Rainbow

/// Names, numbers and spans of time as people read them.
enum ShownText {
  /// Returns text from another person or machine in a form that is safe for a terminal.
  static func safe(_ text: String) -> String { PrintableText.of(text) }

  /// Returns a phrase in a language, in a form that is safe for a terminal.
  static func worded(_ phrase: Phrase, in language: Language = .english) -> String { safe(phrase.worded(in: language)) }

  /// A name in quotation marks, so that it cannot pass for words of ours.
  static func quoted(_ name: DeviceName) -> String { name.quoted }

  /// Returns how long ago a time was, in words.
  static func ago(_ milliseconds: Int64, now: Int64) -> String { phrase(ago: milliseconds, now: now).worded() }

  static func phrase(ago milliseconds: Int64, now: Int64) -> Phrase {
    let age = age(of: milliseconds, now: now)
    // A clock was set back meanwhile.
    if age < -60_000 { return Phrase("by a clock that was {time} ahead", ["time": .phrase(SpanText.phrase(of: -age))]) }
    if age < 1_000 { return Phrase("just now") }
    guard age >= 86_400_000 else { return Phrase("{time} ago", ["time": .phrase(SpanText.phrase(of: age))]) }
    return Phrase(one: "{count} day ago", other: "{count} days ago", count: Int(clamping: age / 86_400_000))
  }

  /// Returns the milliseconds between two moments, each held to a third of an `Int64`: a moment may
  /// be another machine's word.
  private static func age(of milliseconds: Int64, now: Int64) -> Int64 {
    let greatest = Int64.max / 3
    return min(max(now, -greatest), greatest) - min(max(milliseconds, -greatest), greatest)
  }

  /// Returns how long ago something was, in words of a sentence, such as `20 minutes ago`.
  static func agoInWords(_ milliseconds: Int64, now: Int64) -> String {
    phrase(agoInWords: milliseconds, now: now).worded()
  }

  static func phrase(agoInWords milliseconds: Int64, now: Int64) -> Phrase {
    let minutes = Int(clamping: max(0, age(of: milliseconds, now: now)) / 60_000)
    return switch minutes {
    case 0: Phrase("just now")
    case ..<60: Phrase(one: "{count} minute ago", other: "{count} minutes ago", count: minutes)
    case ..<1_440: Phrase(one: "{count} hour ago", other: "{count} hours ago", count: minutes / 60)
    default: Phrase(one: "{count} day ago", other: "{count} days ago", count: minutes / 1_440)
    }
  }

  /// A time of use, rounded to seconds, such as `1 h 05 min` or `12 min 30 s`.
  static func duration(_ milliseconds: Int64) -> String {
    let milliseconds = max(0, milliseconds)
    let seconds = milliseconds / 1_000 + (milliseconds % 1_000 < 500 ? 0 : 1)
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    if hours > 0 { return "\(hours) h \(twoDigits(minutes)) min" }
    if minutes > 0 { return "\(minutes) min \(twoDigits(rest)) s" }
    return "\(rest) s"
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// A number of bytes in MB of 1,048,576 bytes, with one place.
  static func megabytes(_ bytes: Int64) -> String {
    let tenths = max(0, bytes) * 10 / 1_048_576
    return "\(tenths / 10).\(tenths % 10) MB"
  }

  /// A number of bytes in its greatest unit.
  static func bytes(_ bytes: Int64) -> String {
    switch bytes {
    case ..<1_024: "\(max(0, bytes)) B"
    case ..<1_048_576: "\(bytes / 1_024) KB"
    default: megabytes(bytes)
    }
  }

  /// Returns names as a list, such as `A, B and C`.
  static func list(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// A count with its noun, such as `1 command` or `3 commands`.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}

enum TimeText {
  /// ISO 8601 with milliseconds and the offset of `zone`, such as `2026-11-21T14:03:05.123+01:00`.
  static func exact(_ milliseconds: Int64, zone: TimeZone) -> String {
    // Whole seconds and milliseconds apart: a Double of the sum may print the millisecond before.
    let (seconds, rest) = split(milliseconds)
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style(zone))
    let fraction = "." + String(repeating: "0", count: 3 - String(rest).count) + String(rest)
    let cut = text.index(text.startIndex, offsetBy: min(19, text.count))
    return text[..<cut] + fraction + text[cut...]
  }

  /// Day and time to the minute, such as `2026-11-21 14:03`.
  static func short(_ milliseconds: Int64, zone: TimeZone) -> String {
    let text = Date(timeIntervalSince1970: Double(split(milliseconds).seconds)).formatted(style(zone))
    return String(text.prefix(16).replacing("T", with: " "))
  }

  /// The zone named `name` of the IANA list; GMT when there is none.
  static func zone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }

  private static func style(_ zone: TimeZone) -> Date.ISO8601FormatStyle {
    Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: zone)
  }

  private static func split(_ milliseconds: Int64) -> (seconds: Int64, rest: Int64) {
    let rest = (milliseconds % 1_000 + 1_000) % 1_000
    return ((milliseconds - rest) / 1_000, rest)
  }
}

/// Values as JSON for programs, with sorted keys and nothing that steers a terminal.
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

extension String {
  var asHeading: String { painted { $0.bold } }
  /// For what a person should look at.
  var asWarning: String { painted { $0.yellow } }

  private func painted(_ paint: (String) -> String) -> String {
    TerminalEnvironment.current.usesColour ? paint(self) : self
  }

  /// The text in lines that fit a terminal on standard output.
  var inWidth: String { WrappedText.words(self, columns: TerminalEnvironment.current.outputColumns) }
}
