import LatchkeySystem

/// A reader of processes' arguments, which keeps long arguments as long as there is room.
///
/// Spec: Protocol/13-agent.md §8.
struct ArgumentReader {
  struct Arguments: Hashable {
    /// The arguments with one space between two.
    var text = ""
    var isCut = false
    /// The beginnings of the arguments from the second on, for interpreters and shells; otherwise
    /// empty.
    var afterFirst: [String] = []
  }

  /// The size up to which arguments are always kept, in bytes.
  static let usualBytes = 4_096
  /// The largest size of arguments that are kept, in bytes: the kernel's bound for a single one.
  static let mostBytes = 131_072
  /// The most arguments that are kept separately, and their largest size in bytes, which is that of
  /// a path.
  private static let (mostApart, mostApartBytes) = (16, 4_096)
  /// The room for the long arguments of all processes together, in bytes.
  static let roomBytes = 4 << 20

  private var room = ArgumentReader.roomBytes

  /// Begins a full scan, which frees the room that an earlier one used.
  mutating func begin() { room = Self.roomBytes }

  /// Returns the arguments of the process with a folder in `/proc`.
  ///
  /// With `isDivided`, they are also kept separately.
  mutating func read(_ folder: String, isDivided: Bool = false) -> Arguments {
    guard var bytes = ProcFile.line("\(folder)/cmdline", most: Self.usualBytes) else { return Arguments() }
    var isCut = false
    if bytes.count == Self.usualBytes {
      // Long arguments may be meant to push others out of sight.
      isCut = true
      if room > 0, let long = ProcFile.read("\(folder)/cmdline", most: Self.mostBytes + 1) {
        room -= long.count
        isCut = long.count > Self.mostBytes
        bytes = isCut ? Array(long.prefix(Self.mostBytes)) : long
      }
    }
    while bytes.last == 0 { bytes.removeLast() }
    var read = Arguments(text: String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self), isCut: isCut)
    if isDivided {
      let parts = bytes.split(separator: 0, maxSplits: Self.mostApart + 1, omittingEmptySubsequences: false).dropFirst()
      read.afterFirst = parts.prefix(Self.mostApart).map {
        String(decoding: $0.prefix(Self.mostApartBytes), as: UTF8.self)
      }
    }
    return read
  }
}
