/// The fields of /proc/PID/stat that an agent needs.
struct ProcessStatLine: Hashable, Sendable {
  /// Field 2: the name that the process gave itself.
  let name: String
  /// Field 3 is `Z` or `X`, and no other of its threads lives.
  let hasEnded: Bool
  /// Its first thread has ended and another lives: the kernel shows its program in the folders of its threads alone.
  let livesInThreads: Bool
  /// Field 4: the parent's number.
  let parent: Int32
  /// Field 9, bit 21: it is a thread of the kernel.
  let isKernel: Bool
  /// Field 22: the start in clock ticks since boot.
  let startTime: UInt64

  init?(pid: Int32) {
    guard let bytes = ProcFile.read("/proc/\(pid)/stat", most: 1_024) else { return nil }
    self.init(bytes)
  }

  init?(_ bytes: [UInt8]) {
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    guard let begin = bytes.firstIndex(of: 0x28), let end = bytes.lastIndex(of: 0x29), begin < end else { return nil }
    // Fields 3, 4, 9, 20 and 22, without an array of all: a look reads the line of every process.
    var (state, parent, flags, threads, start): (UInt8?, UInt64?, UInt64?, UInt64?, UInt64?)
    var (field, first) = (2, end + 1)
    for place in (end + 1)..<bytes.count where bytes[place] == 0x20 || bytes[place] == 0x0A {
      let text = bytes[first..<place]
      switch field {
      case 3: state = text.first
      case 4: parent = Self.number(text)
      case 9: flags = Self.number(text)
      case 20: threads = Self.number(text)
      case 22: start = Self.number(text)
      default: break
      }
      if field == 22 { break }
      (field, first) = (field + 1, place + 1)
    }
    guard let state, let parent, let flags, let threads, let start else { return nil }
    name = String(decoding: bytes[(begin + 1)..<end], as: UTF8.self)
    let isOver = state == 0x5A || state == 0x58 || state == 0x78
    livesInThreads = isOver && threads > 1
    hasEnded = isOver && threads <= 1
    self.parent = Int32(truncatingIfNeeded: parent)
    isKernel = flags & 0x20_0000 != 0
    startTime = start
  }

  private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for byte in text {
      guard byte >= 0x30, byte <= 0x39, value < .max / 16 else { return nil }
      value = value * 10 + UInt64(byte - 0x30)
    }
    return text.isEmpty ? nil : value
  }
}
