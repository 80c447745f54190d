import Synchronization

@testable import LatchkeyCommands

/// A small terminal: what programs write to it comes to stand in rows and columns, and rows that
/// leave at the top are kept.
///
/// Every character takes one column. It knows what the program uses, and notes everything else.
final class ScreenEmulator: Sendable {
  fileprivate struct State {
    var size: TerminalSize
    var rows: [[Character]]
    var row = 0
    var column = 0
    var scrolledOff: [String] = []
    var unknown: [String] = []
    var watchers: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  init(_ size: TerminalSize) {
    state = Mutex(State(size: size, rows: [[Character]](repeating: [], count: size.rows)))
  }

  var size: TerminalSize { state.withLock { $0.size } }

  /// The rows in sight, without blanks at their ends and below the last one.
  var text: String {
    state.withLock { Self.text($0.rows.map { String($0) }) }
  }

  /// The scrollback and the visible text.
  var everything: String {
    state.withLock { Self.text($0.scrolledOff + $0.rows.map { String($0) }) }
  }

  /// Sequences that this terminal does not know; there should be none.
  var unknown: [String] { state.withLock { $0.unknown } }

  fileprivate static func text(_ rows: [String]) -> String {
    var rows = rows.map { row in
      var row = row[...]
      while row.last == " " { row.removeLast() }
      return String(row)
    }
    while rows.last?.isEmpty == true { rows.removeLast() }
    return rows.map { $0 + "\n" }.joined()
  }

  /// Changes the size; rows are cut and not wrapped again.
  func resize(_ size: TerminalSize) {
    state.withLock { state in
      state.size = size
      while state.rows.count > size.rows {
        if state.row < state.rows.count - 1 {
          state.rows.removeLast()
        } else {
          state.scrolledOff.append(String(state.rows.removeFirst()))
          state.row -= 1
        }
      }
      while state.rows.count < size.rows { state.rows.append([]) }
      state.rows = state.rows.map { Array($0.prefix(size.columns)) }
      state.column = min(state.column, size.columns - 1)
    }
  }

  /// Waits until a text is visible.
  func shows(_ text: String) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        let isThere = state.sight.contains(text)
        if !isThere { state.watchers.append((text, continuation)) }
        return isThere
      }
      if isThere { continuation.resume() }
    }
  }

  func write(_ text: String) {
    let met = state.withLock { state in
      state.take(text)
      let sight = state.watchers.isEmpty ? "" : state.sight
      let met = state.watchers.filter { sight.contains($0.text) }.map(\.continuation)
      state.watchers.removeAll { sight.contains($0.text) }
      return met
    }
    for continuation in met { continuation.resume() }
  }
}

extension ScreenEmulator.State {
  fileprivate var sight: String { ScreenEmulator.text(rows.map { String($0) }) }

  fileprivate mutating func take(_ text: String) {
    var rest = Substring(text)
    while let character = rest.popFirst() {
      switch character {
      case "\u{1B}": follow(&rest)
      case "\n", "\r\n": lineFeed()
      case "\r": column = 0
      default: put(character)
      }
    }
  }

  fileprivate mutating func lineFeed() {
    column = 0
    row += 1
    guard row == size.rows else { return }
    scrolledOff.append(String(rows.removeFirst()))
    rows.append([])
    row -= 1
  }

  fileprivate mutating func put(_ character: Character) {
    if column == size.columns { lineFeed() }
    while rows[row].count <= column { rows[row].append(" ") }
    rows[row][column] = character
    column += 1
  }

  fileprivate mutating func follow(_ rest: inout Substring) {
    var sequence = ""
    while let character = rest.popFirst() {
      sequence.append(character)
      if sequence.count > 1, let value = character.asciiValue, (0x40...0x7E).contains(value) { break }
    }
    let number = Int(sequence.dropFirst().dropLast())
    switch sequence.last {
    case "A": row = max(0, row - (number ?? 1))
    case "B": row = min(size.rows - 1, row + (number ?? 1))
    case "H" where number == nil: (row, column) = (0, 0)
    case "J" where number == nil:
      rows[row] = Array(rows[row].prefix(column))
      for below in rows.indices where below > row { rows[below] = [] }
    case "K" where number == nil: rows[row] = Array(rows[row].prefix(column))
    case "m": break
    default: unknown.append(sequence)
    }
  }
}
