import Glibc
import LatchkeyAgent
import LatchkeyAgentProtocol
import LatchkeyModel

/// The reader of /proc, which remembers what it has read of processes that have not changed.
///
/// Spec: Protocol/13-agent.md §8, §10.
struct ProcessLooker {
  /// What recognizing an account's programs needs.
  struct Wanted {
    /// The accounts whose programs are looked at.
    var accounts: Set<UInt32>
    /// The accounts for which the SHA-256 of files is needed.
    var hashed: Set<UInt32>
    /// The processes that must not be closed.
    var protected: Set<ProcessIdentity>
    /// Executables that must not be closed, by device and inode.
    var protectedFiles: Set<FilePlace>
  }

  /// The device and inode of a file.
  struct FilePlace: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private struct Known {
    var facts: ProcessFacts
    var file: FileMark?
    var mapsReadAt: BootInstant?
    var mapped: [ProcessFacts.Image] = []
    var firstArguments: String
  }

  /// The longest time after which a process's maps are read again, in milliseconds.
  ///
  /// Those of a young one are read more often: a loader has not mapped its program at once.
  private static let mapsMilliseconds: Int64 = 60_000
  /// The time after which a look at many processes turns to new ones, in milliseconds.
  private static let newMilliseconds: Int64 = 250
  /// The most mapped files of a process that are looked at.
  private static let mostMapped = 64

  private var known: [ProcessIdentity: Known] = [:]
  /// The real user of each process whose folder in /proc is root's, as that of one that cannot be dumped.
  private var hidden: [Int32: (startTime: UInt64, user: UInt32)] = [:]
  private var looks = 0
  /// The numbers of all processes that were there at the last look at all.
  private var listedAtLook: Set<Int32> = []
  private var hashes = HashCache()
  private var files: PackageFiles
  private let ticks = UInt64(clamping: max(1, sysconf(Int32(_SC_CLK_TCK))))

  init(packageFolder: String = "/var/lib/dpkg/info") {
    files = PackageFiles(folder: packageFolder)
  }

  /// Takes over which packages' files have to be known.
  mutating func load(packages: Set<String>) { files.load(packages) }

  /// Forgets what it knows of images, since other matchers may need more of them.
  mutating func forgetImages() { known = [:] }

  /// Looks at all processes: calls `see` for each of the accounts' that is new or has changed, and returns all that are there.
  ///
  /// Those that are new come first, also those that appear meanwhile: they may have to be closed, and the others take time.
  mutating func look(
    _ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void
  ) -> Set<ProcessIdentity> {
    looks += 1
    if looks % 10 == 0 { hidden = [:] }
    var present: Set<ProcessIdentity> = []
    guard !wanted.accounts.isEmpty else { return [] }
    var listed = Set(known.keys.map(\.processID))
    func look(_ pids: some Sequence<Int32>) {
      for pid in pids {
        guard let (facts, isNews) = self.look(at: pid, wanted, now) else { continue }
        present.insert(facts.identity)
        // At once: what comes after it may take long to read.
        if isNews { see(facts) }
      }
    }
    let all = ProcFile.processes()
    var old = all.filter { listed.contains($0) }[...]
    look(all.filter { listed.insert($0).inserted })
    var turned = BootClock.now()
    while !old.isEmpty {
      look(old.prefix(64))
      old = old.dropFirst(64)
      guard BootClock.now() - turned >= Self.newMilliseconds else { continue }
      look(ProcFile.processes().filter { listed.insert($0).inserted })
      turned = BootClock.now()
    }
    listedAtLook = Set(all)
    known = known.filter { present.contains($0.key) }
    return present
  }

  /// Looks at the processes that are new since the last look at all, which costs little beside many others.
  mutating func lookAtNew(_ wanted: Wanted, at now: BootInstant, see: (ProcessFacts) -> Void) {
    guard !wanted.accounts.isEmpty else { return }
    for pid in ProcFile.processes() where !listedAtLook.contains(pid) {
      if let (facts, isNews) = look(at: pid, wanted, now), isNews { see(facts) }
    }
  }

  /// Returns the facts of one process, and whether they are news; `nil` if it is none of the accounts'.
  mutating func look(
    at pid: Int32, _ wanted: Wanted, _ now: BootInstant
  ) -> (facts: ProcessFacts, isNews: Bool)? {
    guard let folder = ProcFile.status("/proc/\(pid)") else { return nil }
    var user = folder.st_uid
    if !wanted.accounts.contains(user) {
      // The folder of a process that cannot be dumped, or runs with more rights, is root's.
      guard user == 0, let real = realUser(pid), wanted.accounts.contains(real) else { return nil }
      user = real
    }
    guard let line = ProcessStatLine(pid: pid), !line.hasEnded, !line.isKernel else { return nil }
    let identity = ProcessIdentity(processID: pid, startTime: line.startTime)
    let path = ProcFile.link("/proc/\(pid)/exe")
    let status = ProcFile.status("/proc/\(pid)/exe")
    let mark = status.map(FileMark.init)
    let arguments = Self.arguments(pid)
    let old = known[identity]
    if var same = old, same.file == mark, same.facts.images.first?.path == path {
      // In the middle of an exec, the program is there before its arguments.
      if same.firstArguments.isEmpty { same.firstArguments = arguments }
      // What it was called when it was first seen counts as well, whatever it calls itself since.
      let both = arguments == same.firstArguments ? arguments : same.firstArguments + " " + arguments
      var facts = same.facts
      (facts.arguments, facts.name) = (both, line.name)
      facts.isProtected = isProtected(identity, path, status, wanted)
      let pause = min((now - facts.startedAt) / 2, Self.mapsMilliseconds)
      let isDue = same.mapsReadAt.map { now - $0 >= pause } ?? true
      if isDue {
        same.mapped = mapped(pid, user, wanted)
        same.mapsReadAt = now
        facts.images = Array(facts.images.prefix(path == nil ? 0 : 1)) + same.mapped
      }
      let isNews = facts != same.facts
      same.facts = facts
      known[identity] = same
      return (facts, isNews)
    }
    var images: [ProcessFacts.Image] = []
    if let path, let status {
      let isGenuine = isGenuine(path, status)
      images.append(
        ProcessFacts.Image(
          path: Self.cleaned(path),
          sha256: wanted.hashed.contains(user) ? hashes.digest(of: "/proc/\(pid)/exe") : nil,
          packages: isGenuine && status.st_uid == 0 ? files.packages(of: path) : []))
    }
    let started = BootInstant(
      milliseconds: Int64(clamping: line.startTime / ticks * 1_000 + line.startTime % ticks * 1_000 / ticks))
    let flatpak = path?.hasPrefix("/app/") == true ? flatpak(pid) : nil
    let facts = ProcessFacts(
      identity: identity, account: user, startedAt: started, name: line.name, arguments: arguments, images: images,
      flatpak: flatpak, isGenuineFlatpak: flatpak.map { Self.isGenuine(flatpak: $0, path ?? "", status) } ?? false,
      isFromWritablePlace: Self.isFromWritablePlace(path, status, user),
      isProtected: isProtected(identity, path, status, wanted))
    // Maps are read with the next look: a loader needs a moment before its program is there.
    known[identity] = Known(facts: facts, file: mark, firstArguments: arguments)
    return (facts, true)
  }

  // MARK: Parts

  private mutating func realUser(_ pid: Int32) -> UInt32? {
    if let known = hidden[pid] { return known.user }
    guard let bytes = ProcFile.read("/proc/\(pid)/status", most: 4_096) else { return nil }
    for line in bytes.split(separator: 0x0A) where line.starts(with: Array("Uid:".utf8)) {
      let words = String(decoding: line.dropFirst(4), as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard let user = words.first.flatMap({ UInt32($0) }) else { return nil }
      hidden[pid] = (0, user)
      return user
    }
    return nil
  }

  private static func arguments(_ pid: Int32) -> String {
    guard var bytes = ProcFile.read("/proc/\(pid)/cmdline", most: 4_096) else { return "" }
    while bytes.last == 0 { bytes.removeLast() }
    return String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
  }

  /// Returns the files other than the executable that a process has mapped as code and that are no libraries of the system.
  private mutating func mapped(_ pid: Int32, _ user: UInt32, _ wanted: Wanted) -> [ProcessFacts.Image] {
    guard let bytes = ProcFile.read("/proc/\(pid)/maps", most: 1 << 20) else { return [] }
    var seen: Set<String> = []
    var images: [ProcessFacts.Image] = []
    for line in bytes.split(separator: 0x0A) {
      // ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH, of which the path may contain spaces.
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard fields.count == 6, fields[1].dropFirst(2).first == 0x78, fields[4].first != 0x30 else { continue }
      let path = String(decoding: fields[5].drop { $0 == 0x20 }, as: UTF8.self)
      guard path.hasPrefix("/"), !Self.isLibrary(path), seen.insert(path).inserted else { continue }
      guard images.count < Self.mostMapped else { break }
      var image = ProcessFacts.Image(path: Self.cleaned(path))
      if let inode = UInt64(String(decoding: fields[4], as: UTF8.self)),
        let file = ProcFile.status("/proc/\(pid)/root\(path)"),
        UInt64(file.st_ino) == inode
      {
        if wanted.hashed.contains(user) {
          image.sha256 = hashes.digest(
            of: "/proc/\(pid)/root\(path)", expected: (UInt64(file.st_dev), UInt64(file.st_ino)))
        }
        if isGenuine(path, file), file.st_uid == 0 { image.packages = files.packages(of: path) }
      }
      images.append(image)
    }
    return images
  }

  private static func isLibrary(_ path: String) -> Bool {
    (path.hasPrefix("/usr/lib") || path.hasPrefix("/lib")) && path.contains(".so")
  }

  /// Returns whether the file at a path in this process's view is the one that the kernel means.
  private func isGenuine(_ path: String, _ status: stat) -> Bool {
    ProcFile.status(path).map { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino } ?? false
  }

  /// Returns a path without what the kernel appends to that of a file that was deleted.
  private static func cleaned(_ path: String) -> String {
    path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
  }

  private static func isFromWritablePlace(_ path: String?, _ status: stat?, _ user: UInt32) -> Bool {
    guard let path, let status else { return false }
    if status.st_nlink == 0 || path.hasSuffix(" (deleted)") || path.hasPrefix("/memfd:") { return true }
    if canWrite(status, user) { return true }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "/"
    return ProcFile.status(folder).map { canWrite($0, user) } ?? false
  }

  private static func canWrite(_ status: stat, _ user: UInt32) -> Bool {
    status.st_uid == user || status.st_mode & 0o002 != 0 || status.st_mode & 0o020 != 0 && status.st_gid != 0
  }

  private func isProtected(
    _ process: ProcessIdentity, _ path: String?, _ status: stat?, _ wanted: Wanted
  ) -> Bool {
    if process.processID == 1 || wanted.protected.contains(process) { return true }
    guard let status, let path else { return false }
    let place = FilePlace(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    if wanted.protectedFiles.contains(place) { return true }
    return status.st_uid == 0 && status.st_mode & 0o022 == 0
      && path.split(separator: "/").last.map(NeededPrograms.contains) == true
  }

  private func flatpak(_ pid: Int32) -> String? {
    guard let bytes = ProcFile.read("/proc/\(pid)/root/.flatpak-info", most: 16_384) else { return nil }
    for line in bytes.split(separator: 0x0A) where line.starts(with: Array("name=".utf8)) {
      return String(decoding: line.dropFirst(5), as: UTF8.self)
    }
    return nil
  }

  /// Returns whether an executable below /app is a file of a Flatpak that the system has installed.
  private static func isGenuine(flatpak: String, _ path: String, _ status: stat?) -> Bool {
    guard let status, !flatpak.contains("/"), path.hasPrefix("/app/") else { return false }
    let installed = ProcFile.status(
      "/var/lib/flatpak/app/\(flatpak)/current/active/files/\(path.dropFirst(5))")
    return installed.map { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino && $0.st_uid == 0 } ?? false
  }
}
