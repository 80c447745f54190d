/// The fields of /proc/PID/stat that identify a process and show whether it lives.
public struct ProcessStatLine: Hashable, Sendable {
  /// Field 2: the name that the process gave itself.
  public let name: String
  /// Field 3 is `Z` or `X`, and no other thread of the process lives.
  public let hasEnded: Bool
  /// The first thread has ended and another lives: only the folders of its threads show its
  /// program.
  public let livesInThreads: Bool
  /// Field 4: the parent's number.
  public let parent: Int32
  /// Field 7: the number of the controlling terminal; 0 for none.
  public let terminal: Int32
  /// Field 9, bit 21: it is a kernel thread.
  public let isKernel: Bool
  /// Field 22: the start in clock ticks since boot.
  public let startTime: UInt64
  /// Fields 26 and 28: the addresses of its program's code and stack, which differ for each start
  /// of a program; `nil` if the kernel hides them.
  public let programPlace: [UInt64]?
  /// A Boolean value that indicates whether the terminal is that of a window or of a connection
  /// (`/dev/pts`, majors 136 to 143).
  public var isInTerminalWindow: Bool { (136...143).contains((terminal >> 8) & 0xFFF) }

  /// A Boolean value that indicates whether it seems to have no program: field 26 is 0, and field 3
  /// is not `S`.
  ///
  /// This is so in the middle of an exec, during which a process never sleeps, and when a process
  /// ends. A program can also be built so that the kernel always reports this.
  public let isBetweenPrograms: Bool

  /// Reads the line of a process; `nil` if there is no such process.
  public init?(pid: Int32) {
    guard let bytes = ProcFile.line("/proc/\(pid)/stat", most: 1_024) else { return nil }
    self.init(bytes)
  }

  /// Reads a line; `nil` if the bytes are not such a line.
  public init?(_ bytes: [UInt8]) {
    // The name may contain spaces and parentheses; the last parenthesis ends it.
    guard let begin = bytes.firstIndex(of: 0x28), let end = bytes.lastIndex(of: 0x29), begin < end else { return nil }
    // Fields 3, 4, 7, 9, 20, 22, 26 and 28, without an array of all fields: a full scan reads the
    // line of every process.
    var (state, parent, flags, threads, start): (UInt8?, UInt64?, UInt64?, UInt64?, UInt64?)
    var (code, stack, terminal): (UInt64?, UInt64?, UInt64?)
    var (field, first) = (2, end + 1)
    for place in (end + 1)..<bytes.count where bytes[place] == 0x20 || bytes[place] == 0x0A {
      let text = bytes[first..<place]
      switch field {
      case 3: state = text.first
      case 4: parent = Self.number(text)
      case 7: terminal = Self.number(text)
      case 9: flags = Self.number(text)
      case 20: threads = Self.number(text)
      case 22: start = Self.number(text)
      case 26: code = Self.number(text)
      case 28: stack = Self.number(text)
      default: break
      }
      if field == 28 { break }
      (field, first) = (field + 1, place + 1)
    }
    guard let state, let parent, let flags, let threads, let start else { return nil }
    name = String(decoding: bytes[(begin + 1)..<end], as: UTF8.self)
    let isOver = state == 0x5A || state == 0x58 || state == 0x78
    livesInThreads = isOver && threads > 1
    hasEnded = isOver && threads <= 1
    self.parent = Int32(truncatingIfNeeded: parent)
    self.terminal = Int32(truncatingIfNeeded: terminal ?? 0)
    isKernel = flags & 0x20_0000 != 0
    startTime = start
    isBetweenPrograms = code == 0 && state != 0x53
    // The kernel reports 0 or 1 to processes without the right to know.
    programPlace = code.flatMap { code in stack.flatMap { code > 1 && $0 > 1 ? [code, $0] : nil } }
  }

  private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for byte in text {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(UInt64(byte - 0x30))
      guard !isTooLarge, !isLarger else { return nil }
      value = sum
    }
    return text.isEmpty ? nil : value
  }
}
