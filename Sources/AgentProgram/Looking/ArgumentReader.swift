import Glibc
import LatchkeyAgentProtocol
import LatchkeySystem

/// A reader of processes' arguments, which keeps long arguments as long as there is room
/// (Protocol/13-agent.md §8).
struct ArgumentReader {
  struct Arguments: Hashable {
    /// The arguments with one space between two.
    var text = ""
    var isCut = false
    var isLoader = false
    /// The name of the program that the loader is given; `nil` for none, and for any other program.
    var loaded: String?
    /// The beginnings of the arguments from the second on, for interpreters and shells; for the
    /// loader, those behind the program that it runs; otherwise empty.
    var afterFirst: [String] = []
    var hasMore = false
    /// Of further arguments those that may be a script by a relative path, unless others show it.
    var later: [String] = []
    /// A Boolean value that indicates whether there was no room for some of those.
    var isLaterCut = false
  }

  /// The size up to which arguments are always kept, in bytes.
  static let usualBytes = 4_096
  /// The largest size of arguments that are kept, in bytes: the kernel's bound for a single one.
  static let mostBytes = 131_072
  /// The most arguments that are kept separately, and their largest size in bytes: that of a path.
  private static let (mostApart, mostApartBytes) = (16, 4_096)
  /// The most further arguments among which a script is looked for, and the most of them that are
  /// kept, with their size in bytes.
  private static let (mostLater, mostKept, mostKeptBytes) = (1_024, 64, 16_384)
  /// The room for the long arguments of all processes together, in bytes.
  static let roomBytes = 4 << 20

  private var room = ArgumentReader.roomBytes

  /// Begins a full scan, which frees the room that an earlier one used.
  mutating func begin() { room = Self.roomBytes }

  /// Returns the arguments of the process with a folder in `/proc`.
  ///
  /// Those of a program named `name` that may show its script are also kept separately.
  mutating func read(_ folder: String, of name: Substring = "") -> Arguments {
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
    var read = Self.divided(bytes, of: name)
    read.isCut = isCut
    return read
  }

  /// Returns arguments that are separated by zeros, and those of a program that may show its script
  /// separately as well.
  static func divided(_ bytes: [UInt8], of name: Substring) -> Arguments {
    var read = Arguments(text: String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self))
    read.isLoader = ScriptInterpreters.isLoader(name)
    guard read.isLoader || ScriptInterpreters.mayShowScript(name) else { return read }
    var own = bytes[...]
    if read.isLoader { (read.loaded, own) = loaded(own) }
    let parts = own.split(separator: 0, maxSplits: mostApart + 1, omittingEmptySubsequences: false).dropFirst()
    read.afterFirst = parts.prefix(mostApart).map { String(decoding: $0.prefix(mostApartBytes), as: UTF8.self) }
    read.hasMore = parts.count > mostApart
    // A program has any name among the arguments of the loader, such as that of a link.
    let isUndecided = read.isLoader || ScriptInterpreters.isUndecided(read.afterFirst, of: name)
    if let rest = parts.dropFirst(mostApart).first, isUndecided { (read.later, read.isLaterCut) = later(in: rest) }
    return read
  }

  /// The largest number of loaders that run one another in a chain.
  private static let mostLoaders = 4

  /// Returns the program that the loader runs, and the arguments from it on; all if they name none.
  private static func loaded(_ bytes: ArraySlice<UInt8>) -> (program: String?, arguments: ArraySlice<UInt8>) {
    var parts = bytes.split(separator: 0, omittingEmptySubsequences: false)[...]
    var program: String?
    for _ in 0..<mostLoaders where program.map(ScriptInterpreters.isLoader) ?? true {
      let arguments = parts.dropFirst().map { String(decoding: $0, as: UTF8.self) }
      guard let place = ScriptInterpreters.placeOfLoaded(in: arguments) else { break }
      parts = parts.dropFirst(place + 1)
      program = arguments[place].split(separator: "/").last.map(String.init) ?? ""
    }
    return (program, parts.first.map { bytes[$0.startIndex...] } ?? [])
  }

  /// Returns the arguments that may be a script by a relative path, and whether some are left out.
  private static func later(in rest: ArraySlice<UInt8>) -> (arguments: [String], isCut: Bool) {
    let parts = rest.split(separator: 0, maxSplits: mostLater, omittingEmptySubsequences: false)
    var (kept, bytes): ([String], Int) = ([], 0)
    for part in parts.prefix(mostLater) {
      let argument = String(decoding: part.prefix(mostApartBytes), as: UTF8.self)
      guard ScriptInterpreters.isUnresolved(argument), !kept.contains(argument) else { continue }
      bytes += part.count
      guard kept.count < mostKept, bytes <= mostKeptBytes else { return (kept, true) }
      kept.append(argument)
    }
    return (kept, parts.count > mostLater)
  }
}

/// The class or archive that a Java virtual machine runs, with its arguments, even from an `@FILE`.
///
/// The virtual machine writes it to a file of the child's, so it is weak evidence. Spec:
/// Protocol/13-agent.md §8.
struct JavaCommand {
  /// The largest file that is read, in bytes.
  private static let mostBytes = 65_536
  private static let name = Array("sun.rt.javaCommand".utf8) + [0]

  /// Returns whether an executable is a Java virtual machine, by its name.
  static func isShown(by path: String) -> Bool { path.hasSuffix("/java") || path.hasSuffix("/javaw") }

  /// Returns the command that a process has in its virtual machine; `nil` if it has none.
  ///
  /// The system agent has its own `/tmp`, so it looks into that of the first process.
  static func read(of pid: Int32, _ account: UInt32, named name: String) -> String? {
    guard !name.contains("/") else { return nil }
    let bytes = ["/proc/1/root/tmp", "/tmp"].lazy.compactMap {
      Self.bytes(in: $0, "hsperfdata_" + name, String(pid), account)
    }.first
    return bytes.flatMap(command)
  }

  /// Returns the content of a regular file in a folder, both owned by the account and in the file
  /// system of `root`.
  ///
  /// Nothing is opened in a file system that a program serves.
  private static func bytes(in root: String, _ folder: String, _ file: String, _ account: UInt32) -> [UInt8]? {
    let onlyNames = RegularFile.onlyNames
    let base = Glibc.open(root, onlyNames | O_DIRECTORY | O_CLOEXEC)
    guard base >= 0 else { return nil }
    defer { close(base) }
    let place = openat(base, folder, onlyNames | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard place >= 0 else { return nil }
    defer { close(place) }
    let shown = openat(place, file, onlyNames | O_NOFOLLOW | O_CLOEXEC)
    guard shown >= 0 else { return nil }
    defer { close(shown) }
    let statuses = [base, place, shown].compactMap { ProcFile.knownStatus("/proc/self/fd/\($0)") }
    guard statuses.count == 3, Set(statuses.map(\.st_dev)).count == 1, statuses[1].st_uid == account,
      statuses[2].st_uid == account, statuses[2].st_mode & S_IFMT == S_IFREG, statuses[2].st_size <= mostBytes
    else { return nil }
    return ProcFile.read("/proc/self/fd/\(shown)", most: mostBytes)
  }

  /// Returns the value of `sun.rt.javaCommand` in a virtual machine's performance data, which is in
  /// this machine's byte order.
  ///
  /// Words 0, 1, 2 and 4 of an entry are its size, the offset of its name, the size of its value
  /// and the offset of its value.
  static func command(in bytes: [UInt8]) -> String? {
    guard let name = bytes.firstRange(of: Self.name) else { return nil }
    func word(_ place: Int) -> Int? {
      guard place >= 0, place + 4 <= bytes.count else { return nil }
      return Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt32.self) })
    }
    // The name follows five words.
    let entry = name.lowerBound - 20
    guard entry >= 0, word(entry + 4) == 20, let size = word(entry + 8), let start = word(entry + 16),
      size <= mostBytes, start <= mostBytes, entry + start + size <= bytes.count
    else { return nil }
    let value = bytes[(entry + start)..<(entry + start + size)].prefix { $0 != 0 }
    return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
  }
}
