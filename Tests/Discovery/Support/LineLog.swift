import Foundation
import Synchronization

/// A collector of lines of the form `name> text`, for which tests can wait.
final class LineLog: Sendable {
  private struct Waiting {
    var name: String
    var matches: @Sendable (String) -> Bool
    var resume: CheckedContinuation<(line: String, passed: [String])?, Never>
  }

  private struct Contents {
    var rest = Data()
    var lines: [(name: String, text: String)] = []
    var cursors: [String: Int] = [:]
    var waiting: [Waiting] = []
  }

  private let contents = Mutex(Contents())

  /// Appends output, in pieces of any size.
  func append(_ data: Data) {
    contents.withLock { contents in
      contents.rest.append(data)
      while let end = contents.rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: contents.rest[contents.rest.startIndex..<end], as: UTF8.self)
        contents.rest = Data(contents.rest[(end + 1)...])
        let parts = line.split(separator: "> ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        contents.lines.append(parts.count == 2 ? (parts[0], parts[1]) : ("shell", line))
      }
      serve(&contents)
    }
  }

  /// Waits for the next matching line of a name, or of any with `*`, after the one that was last
  /// waited for.
  ///
  /// - Returns: the line and those before it, or nil when given up.
  func next(
    _ name: String, _ matches: @escaping @Sendable (String) -> Bool
  ) async -> (line: String, passed: [String])? {
    await withCheckedContinuation { resume in
      contents.withLock { contents in
        contents.waiting.append(Waiting(name: name, matches: matches, resume: resume))
        serve(&contents)
      }
    }
  }

  /// Ends the wait for a name.
  func giveUp(_ name: String) {
    contents.withLock { contents in
      for waiting in contents.waiting where waiting.name == name { waiting.resume.resume(returning: nil) }
      contents.waiting.removeAll { $0.name == name }
    }
  }

  /// All lines of a name.
  func all(_ name: String) -> [String] {
    contents.withLock { contents in contents.lines.filter { $0.name == name }.map(\.text) }
  }

  /// All lines, for the report of a failure.
  func everything() -> String {
    contents.withLock { contents in contents.lines.map { "\($0.name)> \($0.text)" }.joined(separator: "\n") }
  }

  private func serve(_ contents: inout Contents) {
    contents.waiting = contents.waiting.filter { waiting in
      var passed: [String] = []
      for index in contents.lines.indices.dropFirst(contents.cursors[waiting.name] ?? 0)
      where waiting.name == "*" || contents.lines[index].name == waiting.name {
        let text = contents.lines[index].text
        if waiting.matches(text) {
          contents.cursors[waiting.name] = index + 1
          waiting.resume.resume(returning: (text, passed))
          return false
        }
        passed.append(text)
      }
      return true
    }
  }
}
