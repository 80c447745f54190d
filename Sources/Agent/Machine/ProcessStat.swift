import Foundation

/// The two things of /proc/PID/stat that tell a process.
struct ProcessStat: Equatable {
  /// Field 22: clock ticks since boot.
  let startTime: UInt64
  /// Field 3 is `Z` or `X`: the process has ended and waits to be reaped.
  let hasEnded: Bool

  init?(pid: Int32) {
    // Not as UTF-8: a process may give itself any bytes for a name.
    guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return nil }
    self.init(line: data)
  }

  /// Read the line of a stat file.
  init?(line: some BidirectionalCollection<UInt8>) {
    // Field 2, the name, may itself hold spaces and parentheses; the last one closes it.
    guard let close = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[line.index(after: close)...].split(separator: UInt8(ascii: " "))
    guard fields.count >= 20, let state = fields[0].first,
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.startTime = startTime
    hasEnded = [UInt8(ascii: "Z"), UInt8(ascii: "X"), UInt8(ascii: "x")].contains(state)
  }
}
