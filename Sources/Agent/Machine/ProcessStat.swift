import Foundation

/// The two fields of /proc/PID/stat that identify a process.
struct ProcessStat: Equatable {
  /// Field 22: the start time in clock ticks since boot.
  let startTime: UInt64
  /// A Boolean value that indicates whether the process has ended and waits to be reaped: field 3 is `Z` or `X`.
  let hasEnded: Bool

  init?(pid: Int32) {
    // Not decoded as UTF-8, since a process may have any bytes in its name.
    guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
    self.init(line: data)
  }

  /// Creates a value from the line of a stat file.
  init?(line: some BidirectionalCollection<UInt8>) {
    // Field 2, the name, may itself contain spaces and parentheses. The last parenthesis ends it.
    guard let close = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[line.index(after: close)...].split(separator: UInt8(ascii: " "))
    guard fields.count >= 20, let state = fields[0].first,
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.startTime = startTime
    hasEnded = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(state)
  }
}
